// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/offset/offset_moves.hpp>

#include <gtest/gtest.h>

#include "support/counting_resource.hpp"

#include <utility>

using namespace arenite;

namespace {

offset_move some_move(std::uint64_t bytes) {
    offset_move m;
    m.from.bytes = bytes;
    return m;
}

TEST(moves, the_list_grows_and_is_handed_on) {
    support::counting_resource up;
    offset_moves a{&up};
    EXPECT_EQ(up.calls(), 0u) << "an empty one needs no memory";
    for (std::uint64_t i = 0; i < 100; ++i) {
        ASSERT_TRUE(a.reserve_one());
        a.add(some_move(i));
    }
    EXPECT_EQ(a.size(), 100u);
    EXPECT_EQ(a.bytes(), 4950u);
    EXPECT_EQ(a[99].bytes(), 99u);
    offset_moves b = std::move(a);
    EXPECT_TRUE(a.empty()); // NOLINT(bugprone-use-after-move): it says what it holds
    b.remove_last();
    EXPECT_EQ(b.bytes(), 4851u);
    offset_moves c{&up};
    ASSERT_TRUE(c.reserve_one());
    c.add(some_move(1));
    c = std::move(b);
    EXPECT_EQ(c.all().size(), 99u);
    EXPECT_EQ(c.begin() + 99, c.end());
}

TEST(moves, without_memory_there_is_room_for_no_more) {
    support::counting_resource up;
    offset_moves list{&up};
    up.fail_after(0);
    EXPECT_FALSE(list.reserve_one());
    EXPECT_TRUE(list.empty());
}

} // namespace
