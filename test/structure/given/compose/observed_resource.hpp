// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/ordered/ordered_heap.hpp>
struct my_observer {
    void on_allocate(const void*, std::size_t) noexcept {}
    void on_free(const void*, std::size_t) noexcept {}
};
static arenite::ordered_heap heap;
