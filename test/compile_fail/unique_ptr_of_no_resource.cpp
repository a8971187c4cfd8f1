// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
// expected: what a unique_ptr's memory comes from is a resource, a struct with a static
#include <arenite/object/unique_ptr.hpp>
#include <arenite/ordered/ordered_heap.hpp>

struct level_memory {
#ifndef MUST_FAIL
    static arenite::ordered_heap& resource() noexcept;
#endif
};

int main() { static_assert(sizeof(arenite::unique_ptr<int, level_memory>) == sizeof(int*)); }
