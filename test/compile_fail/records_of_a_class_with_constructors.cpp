// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
// expected: it has constructors, virtual functions or members that are not public; write a describe
#include <arenite/soa/records.hpp>

struct particle {
#ifdef MUST_FAIL
    explicit particle(float height) : y{height} {}
#endif
    float x = 0, y = 0;
};

arenite::records<particle> particles;
