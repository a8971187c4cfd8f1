// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// A level is loaded, half of it goes, more is loaded: the new part lies together all the same. Bulk
// data has a heap of its own, and a C library frees without sizes.

#include <arenite/core/create.hpp>
#include <arenite/ordered/ordered_heap.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <vector>

namespace {

struct node {
    node* next;
    float* vertices;
    std::size_t count;
};

} // namespace

int main() {
    arenite::ordered_heap nodes; // what is walked together
    arenite::ordered_heap data;  // what it points to, and reads rarely

    const auto load = [&](std::size_t count) {
        node* n = arenite::create<node>(nodes, nullptr, nullptr, count);
        n->vertices = arenite::allocate_n<float>(data, count).data();
        return n;
    };
    const auto unload = [&](node* n) {
        arenite::deallocate_n<float>(data, {n->vertices, n->count});
        arenite::destroy(nodes, n);
    };

    std::vector<node*> level;
    for (std::size_t i = 0; i < 10000; ++i)
        level.push_back(load(16 + i % 100));
    for (std::size_t i = 0; i < level.size(); i += 2)
        unload(level[i]);

    // Allocated again: every node lies above the one before it, in the holes of the old ones.
    std::size_t in_order = 0;
    node* before = nullptr;
    for (std::size_t i = 0; i < level.size(); i += 2) {
        level[i] = load(16 + i % 100);
        in_order += before < level[i] ? 1 : 0;
        before = level[i];
    }
    std::printf("%zu of %zu new nodes lie above the one before\n", in_order, level.size() / 2);

    for (node* n : level)
        unload(n);
    nodes.trim(); // all that is empty goes back now
    std::printf("%zu bytes are still held\n", nodes.usage().bytes_reserved);

    arenite::ordered_heap c_heap{arenite::ordered_options{.sizes = arenite::sizes::kept}};
    void* const name = c_heap.allocate(100);
    std::printf("%zu bytes may be used\n", c_heap.size_of(name));
    c_heap.deallocate(name); // no size: what a C library's free hook wants
    return in_order > 4900 ? 0 : 1;
}
