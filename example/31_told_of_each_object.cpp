// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// A sample of a heap's objects, told to two functions: what is alive, estimated from one in 100.
#include <arenite/compose/sampled_callbacks.hpp>
#include <arenite/ordered/ordered_heap.hpp>

#include <cstddef>
#include <cstdio>
#include <vector>

namespace {

struct alive {
    std::size_t objects = 0;
    std::size_t bytes = 0;
};

void allocated(const arenite::sampled_callbacks::event& what, void* user) {
    alive& sample = *static_cast<alive*>(user);
    ++sample.objects;
    sample.bytes += what.bytes;
}

void freed(const arenite::sampled_callbacks::event& what, void* user) {
    alive& sample = *static_cast<alive*>(user);
    --sample.objects;
    sample.bytes -= what.bytes;
}

} // namespace

int main() {
    alive sample;
    arenite::callback_resource<arenite::ordered_heap> scene{arenite::sampled_callbacks{
        "scene", {.on_allocate = &allocated, .on_free = &freed, .user = &sample, .one_in = 100}}};

    std::vector<void*> nodes;
    for (int i = 0; i < 50'000; ++i)
        nodes.push_back(scene.allocate(64));
    std::printf("about %zu nodes alive, %zu KiB\n", 100 * sample.objects,
                sample.bytes * 100 / 1024);
    const bool plausible = sample.objects > 400 && sample.objects < 600;

    for (void* node : nodes)
        scene.deallocate(node, 64);
    return plausible && sample.objects == 0 && sample.bytes == 0 ? 0 : 1;
}
