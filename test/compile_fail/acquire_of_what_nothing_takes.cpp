// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
// expected: T has neither an on_acquire\(\) nor a constructor for what acquire\(\) was
#include <arenite/object/object_pool.hpp>

struct particle {
    explicit particle(float at) : position{at} {}
    float position;
};

int main() {
    arenite::object_pool<particle> pool;
#ifdef MUST_FAIL
    auto x = pool.acquire("here");
#else
    auto x = pool.acquire(1.0F);
#endif
}
