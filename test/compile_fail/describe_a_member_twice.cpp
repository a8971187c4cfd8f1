// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
// expected: lists a member twice
#include <arenite/soa/records.hpp>

struct body {
    float mass, size;
};

template <>
struct arenite::describe<body> {
#ifdef MUST_FAIL
    using members = arenite::member_list<&body::mass, &body::mass>;
#else
    using members = arenite::member_list<&body::mass, &body::size>;
#endif
};

int main() {
    arenite::records<body> bodies;
    return bodies.column<&body::mass>().empty();
}
