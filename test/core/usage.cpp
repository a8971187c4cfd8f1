// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/core/usage.hpp>

#include <gtest/gtest.h>

using arenite::usage;

namespace {

TEST(usage, what_is_unknown_is_zero) {
    constexpr usage none;
    static_assert(none.bytes_in_use == 0 && none.bytes_reserved == 0 &&
                  none.high_water_bytes == 0 && none.live_allocations == 0 &&
                  none.largest_hole_bytes == 0);
}

TEST(usage, is_equal_where_every_figure_is) {
    const usage one{.bytes_in_use = 1};
    EXPECT_EQ(one, (usage{.bytes_in_use = 1}));
    EXPECT_NE(one, (usage{.bytes_in_use = 1, .bytes_reserved = 1}));
    EXPECT_NE(one, (usage{.bytes_in_use = 1, .high_water_bytes = 1}));
    EXPECT_NE(one, (usage{.bytes_in_use = 1, .live_allocations = 1}));
    EXPECT_NE(one, (usage{.bytes_in_use = 1, .largest_hole_bytes = 1}));
}

} // namespace
