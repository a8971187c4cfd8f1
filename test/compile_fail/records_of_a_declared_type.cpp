// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
// expected: this type is only declared here; records need its members
#include <arenite/soa/records.hpp>

struct particle;
#ifndef MUST_FAIL
struct particle {
    float x, y;
};
#endif

arenite::records<particle> particles;
