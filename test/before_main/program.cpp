// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Linking the library costs no addresses: 10 MiB more than a program without it, at most.
#include <arenite/affinity/affine.hpp>
#include <arenite/ordered/ordered_heap.hpp>
#include <arenite/stl/container_pool.hpp>

#include <cstdio>
#include <cstdlib>
#include <fstream>

#include <unistd.h>

namespace {

struct objects {
    static constexpr const char* name = "objects";
};

struct node : arenite::affine<objects> {
    int value = 0;
};

unsigned long megabytes(unsigned long pages) {
    return pages * static_cast<unsigned long>(::sysconf(_SC_PAGESIZE)) >> 20;
}

} // namespace

int main(int count, char** arguments) {
    std::ifstream statm{"/proc/self/statm"};
    unsigned long here = 0;
    statm >> here;
    if (count != 2)
        return 2;
    std::FILE* const empty = ::popen(arguments[1], "r");
    unsigned long there = 0;
    if (empty == nullptr || std::fscanf(empty, "%lu", &there) != 1)
        return 2;
    ::pclose(empty);
    std::printf("%lu MiB, without the library %lu\n", megabytes(here), megabytes(there));
    // They are in use, so that nothing of them is left out.
    arenite::ordered_heap heap;
    heap.deallocate(heap.allocate(100), 100);
    delete new node;
    arenite::container_pool pool;
    return here != 0 && megabytes(here) <= megabytes(there) + 10 ? 0 : 1;
}
