// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Requests to a heap in the worst state that is known: a million holes of 24 bytes, each between
// two objects, all blocks waiting to be swept. callgrind counts each request by itself. See run.

#include <arenite/ordered/ordered_heap.hpp>

#include <cstddef>
#include <vector>

extern "C" {
[[gnu::noinline]] void* request(arenite::ordered_heap& heap, std::size_t bytes) {
    return heap.allocate(bytes, 8);
}
}

int main() {
    arenite::ordered_heap heap;
    std::vector<void*> all(2'000'000);
    for (void*& p : all)
        p = heap.allocate(24, 8);
    for (std::size_t i = 0; i < all.size(); i += 2)
        heap.deallocate(all[i], 24, 8);
    constexpr std::size_t sizes[] = {64, 24, 2000, 40, 9000, 32};
    for (int i = 0; i < 3000; ++i) {
        void* p = request(heap, sizes[i % 6]);
        asm volatile("" : : "r"(p) : "memory");
    }
}
