// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// A program that uses heaps before main limits its addresses to 1 GiB there: malloc and threads
// still work beside the heaps, which get most of it, and it all comes back.
#include <arenite/core/literals.hpp>
#include <arenite/ordered/ordered_heap.hpp>
#include <arenite/os/page_resource.hpp>

#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include <sys/resource.h>

using namespace arenite;

namespace {

ordered_heap early;
[[maybe_unused]] void* const before_main = early.allocate(1'000'000);

#define EXPECT(condition)                                                                          \
    if (!(condition)) {                                                                            \
        std::printf("line %d: %s\n", __LINE__, #condition);                                        \
        return 1;                                                                                  \
    }

bool others_live() {
    void* const p = std::malloc(10'000'000);
    bool ran = false;
    std::thread{[&] { ran = true; }}.join();
    std::free(p);
    return p != nullptr && ran;
}

} // namespace

int main() {
    const rlimit limit{1_GiB, 1_GiB};
    EXPECT(::setrlimit(RLIMIT_AS, &limit) == 0);
    EXPECT(others_live());
    std::vector<void*> all;
    all.reserve(2'000);
    {
        ordered_heap heap;
        while (void* const p = heap.try_allocate(1'000'000)) { // not touched: it is about addresses
            all.push_back(p);
            if (all.size() % 100 == 0 && all.size() <= 600) {
                EXPECT(others_live());
            }
        }
        std::printf("%zu MB\n", all.size());
        EXPECT(all.size() > 700); // a large object has a multiple of 256 KiB to itself
        for (void* p : all)
            heap.deallocate(p, 1'000'000);
        heap.trim();
        page_source().trim();
        EXPECT(others_live());
        void* const large = std::malloc(700'000'000);
        EXPECT(large != nullptr);
        std::free(large);
        EXPECT(heap.try_allocate(300'000'000) != nullptr);
    }
    return 0;
}
