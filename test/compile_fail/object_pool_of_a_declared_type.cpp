// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
// expected: this type is only declared here; define it
#include <arenite/object/object_pool.hpp>

struct enemy;
struct game {
    game();
    ~game();
    arenite::object_pool<enemy> enemies; // a member may be of a type that is defined later
};

#ifndef MUST_FAIL
struct enemy {
    int strength = 0;
};
#endif

game::game() { auto first = enemies.acquire(); }
game::~game() = default;
