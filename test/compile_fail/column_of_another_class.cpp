// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
// expected: this is a member of another class
#include <arenite/soa/records.hpp>

struct particle {
    float mass;
};
struct planet {
    float mass;
};

int main() {
    arenite::records<particle> particles;
#ifdef MUST_FAIL
    return particles.column<&planet::mass>().empty();
#else
    return particles.column<&particle::mass>().empty();
#endif
}
