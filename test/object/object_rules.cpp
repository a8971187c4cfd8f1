// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/core/config.hpp>
#include <arenite/core/error.hpp>
#include <arenite/object/object_pool.hpp>
#include <arenite/object/object_rules.hpp>
#include <support/counting_resource.hpp>

#include <gtest/gtest.h>

#include <cstddef>

using namespace arenite;

namespace {

struct silent : object_rules {
    static constexpr bool notify_functions = false;
};

TEST(object_rules, switch_one_thing_and_keep_the_rest) {
    static_assert(object_rules::notify_functions && object_rules::notify_members);
    static_assert(!silent::notify_functions && silent::notify_members);
    static_assert(!silent::construct_each_time);
    object_pool<int, silent> pool;
    EXPECT_EQ(*pool.acquire(3), 3);
}

TEST(object_rules, options_without_a_word_are_a_pool_that_grows_and_has_nothing_yet) {
    object_pool<int> pool{object_pool_options{}};
    EXPECT_EQ(pool.capacity(), object_pool_options{}.capacity);
    EXPECT_EQ(pool.usage().bytes_reserved, 0u);
    object_pool<int> eager{object_pool_options{.expected = 100'000, .eager = true}};
    EXPECT_GE(eager.usage().bytes_reserved, 100'000 * sizeof(int));
}

struct each_time : object_rules {
    static constexpr bool construct_each_time = true;
};

TEST(object_rules, eager_without_memory_throws) {
#if ARENITE_EXCEPTIONS
    support::counting_resource up;
    up.fail_after(0);
    const object_pool_options options{.eager = true};
    EXPECT_THROW(object_pool<int>(options, &up), out_of_memory);
    EXPECT_THROW((object_pool<int, each_time>(options, &up)), out_of_memory);
    EXPECT_THROW(object_pool<int>(object_pool_options{.prefault = true}, &up), out_of_memory);
    EXPECT_EQ(up.live(), 0u);
#else
    GTEST_SKIP() << "nothing throws in this build";
#endif
}

TEST(object_rules, memory_got_at_construction_is_the_first_to_be_used) {
    const object_pool_options options{.eager = true, .prefault = true};
    object_pool<int> pool{options};
    object_pool<int, each_time> other{options};
    const std::size_t reserved = pool.usage().bytes_reserved;
    for (int i = 0; i < 100; ++i) {
        pool.acquire(i).reset();
        other.acquire(i).reset();
        if (i % 10 == 0)
            other.trim(), pool.trim();
    }
    object_pool<int>::pointer x = object_pool<int>::pool_of(*pool.acquire(1)).acquire(2);
    EXPECT_EQ(pool.usage().bytes_reserved, reserved);
}

} // namespace
