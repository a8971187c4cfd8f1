// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/core/config.hpp>
#include <arenite/object/object_pool.hpp>

#include <gtest/gtest.h>

#include <cstddef>

using namespace arenite;

namespace {

struct particle {
    float x = 0, y = 0;
    int age = 0;
};

TEST(object_pool_death, giving_back_twice_names_the_pool_and_the_slot) {
    object_pool<particle> pool;
    auto first = pool.acquire();
    auto x = pool.acquire();
    particle* const p = x.get();
    x.reset();
    EXPECT_DEATH((object_pool<particle>::pointer{p}.reset()),
                 "slot 1, was given back to object_pool 0x[0-9a-f]+: it is not in use");
}

TEST(object_pool_death, releasing_to_another_pool_is_found) {
    object_pool<particle> pool;
    object_pool<particle> other;
    auto x = pool.acquire();
    EXPECT_DEATH(other.release(x), "was given back to object_pool 0x[0-9a-f]+: it is of another");
}

TEST(object_pool_death, a_pool_that_ends_before_its_objects_is_found) {
    object_pool<particle>::pointer kept;
    EXPECT_DEATH(
        {
            object_pool<particle> pool;
            auto first = pool.acquire();
            kept = pool.acquire();
        },
        "ends while objects of it are in use: 1, the first of them 0x[0-9a-f]+ in slot 1");
}

TEST(object_pool_death, following_an_empty_owner_is_found_in_checked_builds) {
    if constexpr (!checks_enabled)
        GTEST_SKIP() << "only checked builds look";
    object_pool<particle>::pointer none;
    EXPECT_DEATH(none->age = 1, "a unique_ptr that owns nothing is followed");
}

} // namespace
