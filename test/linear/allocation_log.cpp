// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/linear/detail/allocation_log.hpp>

#include <gtest/gtest.h>

#include <cstddef>

using arenite::detail::allocation_log;

namespace {

std::byte region[10'000];
const std::byte* const end = region + sizeof region;

TEST(allocation_log, tells_what_is_wrong_with_a_free) {
    allocation_log log;
    EXPECT_STREQ(log.free(region, 8, end), "no allocation begins there");
    for (std::size_t i = 0; i < 100; ++i)
        log.add_above(region + 16 * i, region + 16 * i, 16);
    EXPECT_STREQ(log.free(region + 8, 8, end), "no allocation begins there");
    EXPECT_STREQ(log.free(region + 16, 15, end), "it was allocated with another size");
    EXPECT_EQ(log.free(region + 16, 16, end), nullptr);
    EXPECT_STREQ(log.free(region + 16, 16, end), "it was freed before");
    log.resize_latest(region + 16 * 99, 40);
    EXPECT_EQ(log.free(region + 16 * 99, 40, end), nullptr);
}

TEST(allocation_log, forgets_what_was_rewound_once_its_memory_is_handed_out_again) {
    allocation_log log;
    log.add_above(region, region, 100);
    log.add_above(region + 100, region + 104, 100);
    log.add_above(region + 100, region + 128, 10); // after a rewind to 100
    EXPECT_STREQ(log.free(region + 104, 100, end), "no allocation begins there");
    EXPECT_EQ(log.free(region + 128, 10, end), nullptr);
    EXPECT_EQ(log.free(region, 100, end), nullptr);
}

TEST(allocation_log, a_rewind_takes_what_the_latest_grew_by) {
    allocation_log log;
    log.add_above(region, region, 100);
    log.add_above(region + 100, region + 100, 20);
    EXPECT_EQ(log.free(region + 100, 20, end), nullptr);
    log.resize_latest(region, 200);
    EXPECT_STREQ(log.free(region, 200, region + 100), "it was allocated with another size");
    log.add_above(region + 100, region + 100, 50);
    EXPECT_EQ(log.free(region, 100, end), nullptr);
    EXPECT_EQ(log.free(region + 100, 50, end), nullptr);
}

TEST(allocation_log, knows_resources_that_grow_downward) {
    allocation_log log;
    log.add_below(region + 1000, region + 900, 100);
    log.add_below(region + 900, region + 880, 16);
    log.add_below(region + 880, region + 800, 80);
    EXPECT_EQ(log.free(region + 880, 16, end), nullptr);
    EXPECT_STREQ(log.free(region + 880, 16, end), "it was freed before");
    log.add_below(region + 900, region + 890, 10); // after a rewind to 900
    EXPECT_STREQ(log.free(region + 800, 80, end), "no allocation begins there");
    EXPECT_EQ(log.free(region + 890, 10, end), nullptr);
    EXPECT_EQ(log.free(region + 900, 100, end), nullptr);
}

} // namespace
