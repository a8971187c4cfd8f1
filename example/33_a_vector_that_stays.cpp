// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// A log of what happened in a level. Nobody knows how long it becomes, a copy of it would cost a
// frame, and what shows it keeps pointers into it while it grows.
#include <arenite/core/literals.hpp>
#include <arenite/stl/growing_vector.hpp>

#include <cstdio>

using namespace arenite::literals;

namespace {

struct event {
    int frame;
    int kind;
    float position[3];
};

} // namespace

int main() {
    arenite::growing_vector<event> log{8_GiB}; // of addresses; memory comes as it grows
    log.push_back({.frame = 0, .kind = 1, .position = {}});
    const event* const shown = &log.front();

    for (int frame = 1; frame <= 1'000'000; ++frame)
        log.push_back({.frame = frame, .kind = frame % 7, .position = {1, 2, 3}});

    const bool stayed = shown == log.data() && shown[1'000'000].frame == 1'000'000;
    const auto megabytes = [&] { return log.resource()->committed() / 1_MiB; };
    std::printf("%zu events in %zu MiB; the first one %s\n", log.size(), megabytes(),
                stayed ? "lies where it lay" : "has moved");
    log.resize(1000);
    log.shrink_to_fit(); // what lies above goes back to the system
    std::printf("%zu events in %zu MiB\n", log.size(), megabytes());
    return log.back().frame == 999 ? 0 : 1;
}
