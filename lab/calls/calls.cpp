// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// 100,000 allocations of 48 bytes, for callgrind to count: `own` through the heap's own type,
// `base` through resource&, anything else none. See run.

#include <arenite/ordered/ordered_heap.hpp>

#include <string_view>

int main(int count, char** arguments) {
    const std::string_view way = count > 1 ? arguments[1] : "none";
    arenite::ordered_heap heap;
    arenite::resource& base = heap;
    const int own_calls = way == "own" ? 100000 : 0;
    for (int i = 0; i < own_calls; ++i) {
        void* p = heap.allocate(48, 8);
        asm volatile("" : : "r"(p) : "memory");
    }
    const int base_calls = way == "base" ? 100000 : 0;
    for (int i = 0; i < base_calls; ++i) {
        void* p = base.allocate(48, 8);
        asm volatile("" : : "r"(p) : "memory");
    }
}
