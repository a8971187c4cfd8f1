// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Which part of the program holds the memory, how full it is, and how it looks inside: a tree of
// named resources, printed, and the map of one of them.

#include <arenite/core/literals.hpp>
#include <arenite/linear/linear_resource.hpp>
#include <arenite/ordered/ordered_heap.hpp>
#include <arenite/report/memory_map.hpp>
#include <arenite/report/usage_node.hpp>

#include <cstddef>
#include <fstream>
#include <iostream>
#include <vector>

using namespace arenite::literals;

int main(int argc, char** argv) {
    // A resource first, then its node: the node ends before it.
    arenite::usage_node game{"game"};
    arenite::ordered_heap scene;
    arenite::usage_node scene_node{"scene", scene, &game};
    arenite::linear_resource frame{1_MiB};
    arenite::usage_node frame_node{"frame", frame, &game};

    std::vector<void*> trees;
    for (int i = 0; i < 10'000; ++i)
        trees.push_back(scene.allocate(96));
    static_cast<void>(frame.allocate(300'000));
    game.sample(); // once a frame: the high water of the sum

    for (std::size_t i = 0; i < trees.size(); ++i)
        if (i % 2 == 0 || i > 8'000)
            scene.deallocate(trees[i], 96);
    frame.reset();
    game.write_text(std::cout);

    // The half-empty heap as text; as a picture too where a file is named.
    const arenite::memory_map map{scene};
    map.write_text(std::cout, {.title = "scene", .columns = 64, .rows = 8});
    if (argc > 1) {
        std::ofstream svg{argv[1]};
        map.write_svg(svg, {.title = "scene"});
    }

    const bool as_told =
        game.usage().high_water_bytes > 1'200'000 &&
        map.totals().bytes(arenite::region_state::used) == scene.usage().bytes_in_use;
    for (std::size_t i = 0; i < trees.size(); ++i)
        if (!(i % 2 == 0 || i > 8'000))
            scene.deallocate(trees[i], 96);
    return as_told ? 0 : 1;
}
