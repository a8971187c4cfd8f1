// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Particles in columns, in whole objects, and in blocks: the same code, and one word that chooses.
#include <arenite/report/layout.hpp>
#include <arenite/soa/records.hpp>

#include <algorithm>
#include <cstdio>
#include <iostream>

struct vector3 {
    float x = 0, y = 0, z = 0;
};

struct particle {
    float age = 0;
    bool pending_kill = false;
    vector3 position = {}, velocity = {}, force = {};
    int color = 0;
    float mass = 1;
};

using particles = arenite::records<particle, arenite::layout::soa>; // or aos, or aosoa<8>

/// Takes any of them: nothing in it knows how the members lie.
template <class Particles>
float simulate(Particles& all) {
    for (int i = 0; i < 1000; ++i)
        all.push_back({.age = static_cast<float>(i % 100), .force = {0, -9.81f, 0}});

    // The members that a loop uses, and no others: it vectorises where they lie in columns.
    all.template for_each<&particle::velocity, &particle::force, &particle::position>(
        [](vector3& velocity, const vector3& force, vector3& position) {
            velocity.y += force.y;
            position.y += velocity.y;
        });

    for (float& age : all.template column<&particle::age>())
        age += 1;

    for (std::size_t i = 0; i < all.size(); ++i)
        if (all[i].template get<&particle::age>() > 99)
            all[i].template get<&particle::pending_kill>() = true;

    for (std::size_t i = all.size(); i-- > 0;)
        if (all[i][&particle::pending_kill])
            all.swap_erase(i); // the last one takes its place

    std::ranges::sort(all, {}, arenite::by<&particle::age>);
    auto [age, pending, position, velocity, force, color, mass] = all[0];
    return age + position.y * static_cast<float>(all.size());
}

int main() {
    // Which members lie together, and what a loop over two of them brings into the cache.
    arenite::layout_of<particle, &particle::velocity, &particle::position>().write_text(std::cout);

    particles columns;
    arenite::records<particle, arenite::layout::aos> objects;
    arenite::records<particle, arenite::layout::aosoa<8>> blocks;
    const float results[]{simulate(columns), simulate(objects), simulate(blocks)};
    std::printf("%zu particles left, whatever the layout: %g %g %g\n", columns.size(),
                static_cast<double>(results[0]), static_cast<double>(results[1]),
                static_cast<double>(results[2]));
    return columns.size() == 990 && results[0] == results[1] && results[1] == results[2] ? 0 : 1;
}
