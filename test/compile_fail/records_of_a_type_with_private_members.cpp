// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
// expected: since it is no plain struct
#include <arenite/soa/records.hpp>

class body {
public:
    body() = default;

private:
    friend struct arenite::describe<body>;
    float mass_ = 1;
};

#ifndef MUST_FAIL
template <>
struct arenite::describe<body> {
    using members = arenite::member_list<&body::mass_>;
};
#endif

arenite::records<body> bodies;
