// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// A game whose rounds should leave nothing behind, and one that does: two snapshots of all named
// memory name the part that grows.
#include <arenite/compose/tracked_resource.hpp>
#include <arenite/core/create.hpp>
#include <arenite/ordered/ordered_heap.hpp>
#include <arenite/report/usage_difference.hpp>
#include <arenite/report/usage_node.hpp>
#include <arenite/report/usage_snapshot.hpp>

#include <iostream>
#include <memory_resource>
#include <vector>

namespace {

struct decal {
    float position[3];
    decal* next;
};

arenite::usage_node game{"game"};
arenite::tracked_resource<arenite::ordered_heap> props{"props", &game};
arenite::tracked_resource<arenite::ordered_heap> decals{"decals", &game};
decal* newest = nullptr;

void play_a_round() {
    std::pmr::vector<int> visible{1000, &props};
    for (int shot : visible)
        newest = arenite::create<decal>(decals, decal{{static_cast<float>(shot)}, newest});
}

} // namespace

int main() {
    play_a_round(); // whatever is made once is there now
    const arenite::usage_snapshot before = arenite::take_usage_snapshot();
    play_a_round();
    const arenite::usage_difference d = arenite::difference(before, arenite::take_usage_snapshot());
    d.write_text(std::cout);
    const bool found = d.changes().size() == 2 && d.changes()[1].name == "game/decals";
    while (newest != nullptr) {
        decal* const next = newest->next;
        arenite::destroy(decals, newest);
        newest = next;
    }
    return found ? 0 : 1;
}
