// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
// expected: deleting an object through its base needs a virtual destructor in the base
#include <arenite/affinity/affinity_heap.hpp>
#include <arenite/object/unique_ptr.hpp>

struct base {
#ifndef MUST_FAIL
    virtual ~base() = default;
#endif
};
struct derived : base {
    int more = 0;
};

int main() {
    using arenite::affinities::nodes;
    arenite::unique_ptr<base, nodes> p = arenite::make_unique<derived>(nodes{});
}
