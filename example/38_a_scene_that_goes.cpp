// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// A large scene is deleted. Where the destructors must run, its frees wait in a scope and are done
// 64 at a time; where nothing is to be destroyed, the heap is emptied at once.

#include <arenite/core/create.hpp>
#include <arenite/ordered/deferred_frees.hpp>
#include <arenite/ordered/ordered_heap.hpp>

#include <cstddef>
#include <cstdio>
#include <vector>

namespace {

struct texture {
    int users = 0;
};

struct mesh {
    explicit mesh(texture& t) : shown{&t} { ++shown->users; }
    ~mesh() { --shown->users; }

    texture* shown;
    float box[6] = {};
};

} // namespace

int main() {
    arenite::ordered_heap heap;
    texture stone;
    std::vector<mesh*> scene;
    for (std::size_t i = 0; i < 100'000; ++i)
        scene.push_back(arenite::create<mesh>(heap, stone));

    { // in any order: each is read, and its memory waits
        arenite::deferred_frees scope{heap};
        for (std::size_t i = 0; i < scene.size(); ++i)
            arenite::destroy(scope, scene[i * 7919 % scene.size()]);
    } // what still waits is freed here
    std::printf("%d users, %zu meshes\n", stone.users, heap.usage().live_allocations);

    for (std::size_t i = 0; i < 100'000; ++i) // particles: nothing to destroy
        static_cast<void>(heap.allocate(40, 8));
    heap.reset();
    const arenite::usage now = heap.usage();
    std::printf("%zu particles; at most %zu bytes were in use\n", now.live_allocations,
                now.high_water_bytes);
    return stone.users == 0 && now.live_allocations == 0 ? 0 : 1;
}
