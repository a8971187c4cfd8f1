// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
// expected: the elements of a range for records are objects or rows of their type
#include <arenite/soa/records.hpp>

#include <vector>

struct particle {
    float mass;
};
struct wave {
    double length;
};

int main() {
    arenite::records<particle> particles;
#ifdef MUST_FAIL
    particles.append_range(std::vector<wave>(3));
#else
    particles.append_range(std::vector<particle>(3));
#endif
    return particles.empty();
}
