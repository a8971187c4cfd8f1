// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// A game that grows with each level. The usage tree says that it is the decals; sampled call sites
// say which of the places that make decals never lets go of them. See
// doc/who_holds_the_memory.md.
#include <arenite/check/no_allocation_scope.hpp>
#include <arenite/compose/sampled_resource.hpp>
#include <arenite/compose/tracked_resource.hpp>
#include <arenite/core/create.hpp>
#include <arenite/ordered/ordered_heap.hpp>
#include <arenite/report/sampled_site.hpp>
#include <arenite/report/usage_difference.hpp>
#include <arenite/report/usage_node.hpp>
#include <arenite/report/usage_snapshot.hpp>

#include <fstream>
#include <iostream>
#include <vector>

namespace game {

struct decal {
    float position[3];
    float colours[13];
};

arenite::usage_node all{"game"};
arenite::tracked_resource<arenite::sampled_resource<arenite::ordered_heap>> meshes{
    "meshes", &all, arenite::site_sampler{"meshes"}};
arenite::tracked_resource<arenite::sampled_resource<arenite::ordered_heap>> decals{
    "decals", &all, arenite::site_sampler{"decals"}};

std::vector<decal*> on_walls;
std::vector<decal*> on_glass; // drawn in a pass of its own, and forgotten when the level ends
void* mesh = nullptr;

ARENITE_NOINLINE void hit_wall() { on_walls.push_back(arenite::create<decal>(decals)); }
ARENITE_NOINLINE void hit_glass() { on_glass.push_back(arenite::create<decal>(decals)); }

ARENITE_NOINLINE void play_level() {
    mesh = meshes.allocate(20'000'000);
    for (int shot = 0; shot < 200'000; ++shot)
        shot % 4 == 0 ? hit_glass() : hit_wall();
}

ARENITE_NOINLINE void end_level() {
    for (decal* d : on_walls)
        arenite::destroy(decals, d);
    on_walls.clear();
    meshes.deallocate(mesh, 20'000'000);
}

ARENITE_NOINLINE bool draw_a_frame() {
    arenite::no_allocation_scope promise{"draw_a_frame"};
    hit_glass(); // a shot that is seen only now
    return promise.is_broken();
}

} // namespace game

int main() {
    arenite::start_sampling({.every_bytes = 64 * 1024}); // the default, 512 KiB, is for larger ones
    game::play_level();
    game::end_level(); // whatever is made once is there now
    const arenite::usage_snapshot before = arenite::take_usage_snapshot(game::all);
    for (int level = 0; level < 3; ++level) {
        game::play_level();
        game::end_level();
    }
    const arenite::usage_snapshot now = arenite::take_usage_snapshot(game::all);
    const arenite::usage_difference d = arenite::difference(before, now);
    d.write_text(std::cout);

    std::ofstream profile{"decals.pprof", std::ios::binary};
    d.write_pprof(profile); // go tool pprof -http : decals.pprof

    double grown = 0;
    for (const auto& site : d.sites())
        grown += site.after.tag == "decals" ? site.growth() : 0;
    const bool found = grown > 4'000'000 && grown < 20'000'000; // it is 9,600,000
    const bool broken = game::draw_a_frame();
    for (game::decal* glass : game::on_glass)
        arenite::destroy(game::decals, glass);
    return found && broken ? 0 : 1;
}
