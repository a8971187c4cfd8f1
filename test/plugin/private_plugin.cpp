// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Has a copy of the library inside that it keeps to itself.
#include <arenite/ordered/ordered_heap.hpp>
#include <arenite/os/page_resource.hpp>

#include <cstddef>

extern "C" __attribute__((visibility("default"))) const void* pages_of_the_plugin() {
    return &arenite::page_source();
}

extern "C" __attribute__((visibility("default"))) std::size_t use_of_the_plugin() {
    static arenite::ordered_heap heap;
    for (int i = 0; i < 1000; ++i)
        static_cast<void>(heap.allocate(100));
    return heap.usage().bytes_in_use;
}
