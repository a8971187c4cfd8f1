// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
// expected: since it has a base; write a describe<T>
#include <arenite/soa/records.hpp>

struct place {
    float x, y;
};
struct body : place {
    float mass;
};

#ifndef MUST_FAIL
template <>
struct arenite::describe<body> {
    using members = arenite::member_list<&body::x, &body::y, &body::mass>;
};
#endif

arenite::records<body> bodies;
