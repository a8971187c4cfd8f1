// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Two threads load parts of a scene into one heap; what they made may be freed by any thread.
#include <arenite/compose/synchronized_resource.hpp>
#include <arenite/core/create.hpp>
#include <arenite/ordered/ordered_heap.hpp>

#include <cstddef>
#include <cstdio>
#include <thread>
#include <vector>

struct node {
    int id;
    node* next;
};

using shared_heap = arenite::synchronized_resource<arenite::ordered_heap>;

node* load(shared_heap& heap, int first, int count) {
    node* list = nullptr;
    for (int id = first; id < first + count; ++id)
        list = arenite::create<node>(heap, node{id, list});
    return list;
}

int main() {
    shared_heap heap{};
    node* parts[2] = {};
    std::thread other{[&] { parts[0] = load(heap, 0, 1000); }};
    parts[1] = load(heap, 1000, 1000);
    other.join();

    int count = 0;
    for (node* n : parts) {
        while (n != nullptr) {
            node* const next = n->next;
            arenite::destroy(heap, n);
            n = next;
            ++count;
        }
    }

    // Many calls in one go take the lock once.
    std::vector<void*> blocks(100);
    heap.with_lock([&](arenite::ordered_heap& inner) {
        for (void*& block : blocks)
            block = inner.allocate(64);
        for (void* block : blocks)
            inner.deallocate(block, 64);
    });
    std::printf("%d nodes, %zu bytes in use\n", count, heap.usage().bytes_in_use);
    return count == 2000 && heap.usage().bytes_in_use == 0 ? 0 : 1;
}
