// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
// expected: only layout::soa has a member of all rows in one array
#include <arenite/soa/records.hpp>

struct particle {
    float mass;
};

int main() {
#ifdef MUST_FAIL
    arenite::records<particle, arenite::layout::aos> particles;
#else
    arenite::records<particle, arenite::layout::soa> particles;
#endif
    return particles.contiguous_column<&particle::mass>().empty();
}
