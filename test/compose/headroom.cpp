// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/compose/detail/headroom.hpp>

#include <cstddef>
#include <gtest/gtest.h>
#include <limits>

namespace {

using arenite::detail::headroom;

TEST(headroom, tells_whether_a_request_stays_below_the_mark) {
    headroom room{100, false};
    EXPECT_TRUE(room.take(60));
    EXPECT_TRUE(room.take(40));
    EXPECT_EQ(room.left(), 0);
    EXPECT_FALSE(room.take(1));
    EXPECT_EQ(room.left(), -1);
    EXPECT_TRUE(room.give(1));
    EXPECT_TRUE(room.give(100));
    EXPECT_EQ(room.left(), 100);
}

TEST(headroom, is_what_it_was_when_a_size_too_large_was_given_back) {
    headroom room{100, false};
    for (const std::size_t bytes : {std::numeric_limits<std::size_t>::max(),
                                    std::numeric_limits<std::size_t>::max() / 2 + 1}) {
        static_cast<void>(room.take(bytes));
        static_cast<void>(room.give(bytes));
        EXPECT_EQ(room.left(), 100);
    }
}

TEST(headroom, that_is_careful_has_each_request_looked_at) {
    headroom room{100, true};
    EXPECT_TRUE(room.is_careful());
    EXPECT_FALSE(room.take(1));
    EXPECT_FALSE(room.give(1));
    EXPECT_EQ(room.left(), 100);
    EXPECT_FALSE(room.take(200));
    EXPECT_EQ(room.left(), -100);
}

} // namespace
