// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Requests to an affinity of which another thread has freed much, in many blocks: nothing of it is
// of the size that is asked for, and no slab gets empty. So a request drains as much as one ever
// does, and gets new memory. callgrind counts each by itself. See run.
//   drained BYTES all    of objects of so many bytes nearly all were freed
//   drained BYTES few    one in each word of bits, the most words for the fewest objects

#include <arenite/affinity/affinity_heap.hpp>
#include <arenite/core/literals.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <thread>
#include <vector>

using namespace arenite;

extern "C" {
[[gnu::noinline]] void* request(affinity_heap& heap, std::size_t bytes) {
    return heap.allocate(bytes, 8);
}
}

int main(int count, char** arguments) {
    if (count < 3)
        return 1;
    const std::size_t bytes = std::strtoul(arguments[1], nullptr, 10);
    const bool all = std::string_view{arguments[2]} == "all";
    affinity_heap& heap = affinity_heap::named("drained");
    std::vector<void*> made(100_MiB / bytes); // 400 blocks
    for (void*& p : made)
        p = heap.allocate(bytes, 8);
    std::thread{[&] {
        std::uintptr_t kept = 0, freed = 0;
        for (void* const p : made) {
            const auto at = reinterpret_cast<std::uintptr_t>(p);
            if (at / 4096 != kept) // each slab keeps some
                kept = at / 4096;
            else if (all || at / (64 * bytes) != freed) {
                freed = at / (64 * bytes);
                heap.deallocate(p, bytes, 8);
            }
        }
    }}.join();
    for (int i = 0; i < 100; ++i) { // some lie in what is there already
        void* const p = request(heap, 50'000);
        asm volatile("" : : "r"(p) : "memory");
    }
}
