// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// A scene graph in address order: nodes and names from one heap, without a header each.
#include <arenite/arenite.hpp>

#include <cstdio>
#include <string>
#include <utility>

struct node {
    std::pmr::string name;
    node* next;
};

int main() {
    arenite::ordered_heap heap;

    node* first = nullptr;
    for (const char* name : {"door", "window", "roof"})
        first = arenite::create<node>(heap, std::pmr::string{name, &heap}, first);

    for (const node* n = first; n != nullptr; n = n->next)
        std::printf("%s\n", n->name.c_str());

    while (first != nullptr)
        arenite::destroy(heap, std::exchange(first, first->next));
    return heap.usage().bytes_in_use == 0 ? 0 : 1;
}
