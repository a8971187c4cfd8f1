// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
// expected: lists a member of another class
#include <arenite/soa/records.hpp>

struct body {
    float mass;
};
struct planet {
    float mass;
};

template <>
struct arenite::describe<body> {
#ifdef MUST_FAIL
    using members = arenite::member_list<&planet::mass>;
#else
    using members = arenite::member_list<&body::mass>;
#endif
};

arenite::records<body> bodies;
