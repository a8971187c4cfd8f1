// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
// expected: a unique_ptr becomes one to a base only where memory is freed by its address
#include <arenite/affinity/affinity_heap.hpp>
#include <arenite/object/unique_ptr.hpp>
#include <arenite/ordered/ordered_heap.hpp>

struct base {
    virtual ~base() = default;
};
struct derived : base {
    int more = 0;
};

int main() {
#ifdef MUST_FAIL
    arenite::ordered_heap heap;
    arenite::unique_ptr<base, arenite::ordered_heap> p = arenite::make_unique<derived>(heap);
#else
    using arenite::affinities::nodes;
    arenite::unique_ptr<base, nodes> p = arenite::make_unique<derived>(nodes{});
#endif
}
