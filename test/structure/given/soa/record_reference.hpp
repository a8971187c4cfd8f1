// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/soa/records.hpp>

#include <algorithm>

struct vector3 {
    float x, y, z;
    vector3& operator+=(const vector3& v) {
        x += v.x;
        y += v.y;
        z += v.z;
        return *this;
    }
};
struct particle {
    vector3 position, velocity;
    float mass;
};
using namespace arenite;
records<particle> particles(8);
