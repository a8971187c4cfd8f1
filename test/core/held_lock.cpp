// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/core/detail/held_lock.hpp>

#include <arenite/core/detail/spin_lock.hpp>

#include <gtest/gtest.h>

#include <mutex>
#include <thread>

using namespace arenite;
using detail::held_lock;

namespace {

bool is_free(detail::spin_lock& lock) {
    if (!lock.try_lock())
        return false;
    lock.unlock();
    return true;
}

TEST(held_lock, is_held_as_long_as_it_lives) {
    detail::spin_lock outer, inner;
    {
        const held_lock first{outer};
        {
            const held_lock second{inner};
            EXPECT_FALSE(is_free(outer));
            EXPECT_FALSE(is_free(inner));
        }
        EXPECT_FALSE(is_free(outer));
        EXPECT_TRUE(is_free(inner));
    }
    EXPECT_TRUE(is_free(outer));
    held_lock::give_up_all();
    EXPECT_TRUE(is_free(outer));
}

TEST(held_lock, all_that_are_held_are_given_up_once) {
    detail::spin_lock outer, inner, later;
    {
        const held_lock first{outer};
        const held_lock second{inner};
        held_lock::give_up_all();
        EXPECT_TRUE(is_free(outer));
        EXPECT_TRUE(is_free(inner));
        outer.lock();
        const held_lock third{later}; // as a handler's own call
        held_lock::give_up_all();
        EXPECT_TRUE(is_free(later));
    }
    EXPECT_FALSE(is_free(outer)) << "it is another's by now";
    outer.unlock();
    const held_lock fourth{outer};
    EXPECT_FALSE(is_free(outer));
}

TEST(held_lock_threads, those_of_other_threads_stay) {
    detail::spin_lock mine;
    const held_lock lock{mine};
    std::thread{[&] {
        std::mutex others;
        const held_lock here{others};
        held_lock::give_up_all();
        EXPECT_TRUE(others.try_lock());
        others.unlock();
    }}.join();
    EXPECT_FALSE(is_free(mine));
}

} // namespace
