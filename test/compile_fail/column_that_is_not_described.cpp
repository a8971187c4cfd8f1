// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
// expected: this member is not listed in describe<T>
#include <arenite/soa/records.hpp>

struct body {
    float mass, size;
};

template <>
struct arenite::describe<body> {
    using members = arenite::member_list<&body::mass>;
};

int main() {
    arenite::records<body> bodies;
#ifdef MUST_FAIL
    return bodies.column<&body::size>().empty();
#else
    return bodies.column<&body::mass>().empty();
#endif
}
