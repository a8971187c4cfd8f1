// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
// expected: use of deleted function|call to deleted function
#include <arenite/object/unique_ptr.hpp>
#include <arenite/ordered/ordered_heap.hpp>

int main() {
#ifdef MUST_FAIL
    auto p = arenite::make_unique<int>(arenite::ordered_heap{}, 3);
#else
    arenite::ordered_heap heap;
    auto p = arenite::make_unique<int>(heap, 3);
#endif
}
