// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <iostream>

struct vector3 {
    float x, y, z;
};
struct particle {
    vector3 position, velocity;
    float mass;
};
