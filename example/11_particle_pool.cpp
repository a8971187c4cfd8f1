// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// A fountain: each frame some particles are born and some die, all of one size, never more than
// fit.
#include <arenite/pool/pool_resource.hpp>

#include <cstddef>
#include <cstdio>
#include <new>

struct particle {
    float position[3];
    float velocity[3];
    float seconds_left;
};

int main() {
    // All memory at once, here and now: no frame will ever wait for it.
    constexpr std::size_t most = 10'000;
    arenite::pool_resource particles{arenite::slot::of<particle>(),
                                     arenite::pool_options{.slots = most, .prefault = true}};
    std::size_t refused = 0;
    for (int frame = 0; frame < 300; ++frame) {
        for (int i = 0; i < 100; ++i) {
            void* const slot = particles.try_allocate();
            if (slot == nullptr) { // the pool is full: this one is not born
                ++refused;
                continue;
            }
            const float spread = static_cast<float>(i % 10) - 4.5f;
            const float seconds = 1.0f + static_cast<float>(i % 4) * 0.5f;
            ::new (slot) particle{{0, 0, 0}, {spread, 12, -spread}, seconds};
        }
        particles.for_each<particle>([&](particle& p) {
            constexpr float step = 1.0f / 60;
            for (int axis = 0; axis < 3; ++axis)
                p.position[axis] += p.velocity[axis] * step;
            p.velocity[1] -= 9.81f * step;
            p.seconds_left -= step;
            if (p.seconds_left <= 0)
                particles.deallocate(&p); // while visiting: allowed
        });
    }
    const arenite::usage u = particles.usage();
    std::printf("%zu particles alive, %zu bytes in use at most, %zu were not born\n",
                u.live_allocations, u.high_water_bytes, refused);
    const bool right = u.live_allocations <= most && refused != 0;
    particles.for_each([&](void* p) { particles.deallocate(p); });
    return right && particles.usage().live_allocations == 0 ? 0 : 1;
}
