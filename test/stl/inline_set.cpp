// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/stl/inline_set.hpp>

#include <gtest/gtest.h>

#include "support/inline_container.hpp"

#include <utility>

using namespace arenite;
using support::tied;

namespace {

TEST(inline_set, order_functions_go_along) {
    using set = inline_set<tied, 8, support::downwards_if>;
    set down{support::downwards_if{true}};
    support::fill(down, 0);
    set up;
    support::fill(up, 100);
    swap(up, down);
    EXPECT_EQ(up.begin()->get(), 7);
    EXPECT_EQ(down.begin()->get(), 100);
    down = std::move(up);
    EXPECT_EQ(down.begin()->get(), 7);
}

TEST(inline_set, has_the_rest_of_the_interface) {
    inline_set<int, 4> s{3, 1, 2};
    EXPECT_EQ(*s.begin(), 1);
    EXPECT_EQ(*s.rbegin(), 3);
    EXPECT_EQ(*s.lower_bound(2), 2);
    EXPECT_EQ(*s.upper_bound(2), 3);
    EXPECT_FALSE(s.insert(3).second);
    s.insert(s.begin(), 0);
    EXPECT_TRUE(s.full());
    EXPECT_EQ(erase_if(s, [](int i) { return i % 2 == 0; }), 2U);
    EXPECT_EQ(s, (inline_set<int, 4>{1, 3}));
    EXPECT_TRUE((s < inline_set<int, 4>{2}));
    s = {9, 8, 7};
    EXPECT_EQ(s.size(), 3U);
}

} // namespace
