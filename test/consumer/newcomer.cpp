// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// A program of somebody's first day: a scene in a heap, the lists of a frame in an arena,
// and a map with a pool. packaging/newcomer.py builds it with what the documents' commands
// installed.
#include <arenite/arenite.hpp>

#include <cstddef>
#include <cstdio>
#include <memory_resource>
#include <string>
#include <vector>

namespace {

struct node {
    std::pmr::string name;
    std::pmr::vector<node*> children;
};

node* new_node(arenite::ordered_heap& heap, const char* name) {
    return arenite::create<node>(heap, std::pmr::string{name, &heap},
                                 std::pmr::vector<node*>{&heap});
}

void delete_tree(arenite::ordered_heap& heap, node* n) {
    for (node* child : n->children)
        delete_tree(heap, child);
    arenite::destroy(heap, n);
}

} // namespace

int main() {
    using namespace arenite::literals;
    arenite::ordered_heap scene;
    node* house = new_node(scene, "a house with a long enough name to need memory");
    for (const char* name : {"door", "window", "roof"})
        house->children.push_back(new_node(scene, name));

    arenite::frame_resource<2> frames{64_KiB};
    arenite::pooled::map<std::string, int> drawn;
    for (int frame = 0; frame < 10; ++frame) {
        std::pmr::vector<const node*> visible{&frames.current()};
        for (const node* child : house->children)
            visible.push_back(child);
        for (const node* n : visible)
            ++drawn[std::string{n->name}];
        frames.next();
    }

    const bool right = drawn.size() == 3 && drawn["door"] == 10 &&
                       frames.current().usage().bytes_in_use == 0 &&
                       scene.usage().bytes_in_use > 4 * sizeof(node);
    delete_tree(scene, house);
    const std::size_t left = scene.usage().bytes_in_use;
    std::printf("%zu names drawn, %zu bytes left\n", drawn.size(), left);
    return right && left == 0 ? 0 : 1;
}
