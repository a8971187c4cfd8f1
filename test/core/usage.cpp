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

TEST(usage, a_sum_has_the_largest_of_the_holes) {
    usage sum{.bytes_in_use = 1,
              .bytes_reserved = 20,
              .high_water_bytes = 3,
              .live_allocations = 1,
              .largest_hole_bytes = 7};
    sum += usage{.bytes_in_use = 10,
                 .bytes_reserved = 40,
                 .high_water_bytes = 11,
                 .live_allocations = 2,
                 .largest_hole_bytes = 5};
    EXPECT_EQ(sum, (usage{.bytes_in_use = 11,
                          .bytes_reserved = 60,
                          .high_water_bytes = 14,
                          .live_allocations = 3,
                          .largest_hole_bytes = 7}));
}

} // namespace
