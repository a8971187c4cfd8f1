// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/core/detail/budget_meter.hpp>

#include <arenite/core/literals.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>

namespace {

using namespace arenite;
using detail::budget_meter;

/// Looks until it is spent, each of which moves so many bytes, or nothing.
std::size_t looks(const budget& limit, std::size_t bytes_a_look, std::size_t most = 100'000) {
    budget_meter meter{limit};
    std::size_t n = 0;
    const auto moves = [&] { return bytes_a_look == 0 ? 0 : n; };
    while (n < most && !meter.spent(moves(), n * bytes_a_look))
        ++n;
    EXPECT_EQ(meter.is_spent(), n < most);
    return n;
}

TEST(budget_meter, what_is_moved_is_limited) {
    EXPECT_EQ(looks({.moves = 10}, 1), 10u);
    EXPECT_EQ(looks({.bytes = 1000}, 300), 4u);
    EXPECT_EQ(looks({.bytes = 64_KiB}, 8), 8192u) << "looks that move something are not counted";
    EXPECT_EQ(looks({.bytes = 0}, 0), 0u);
    EXPECT_EQ(looks({.moves = 0}, 0), 0u);
    const budget_meter meter{{.bytes = 100, .moves = 2}};
    EXPECT_TRUE(meter.has_room(1, 99));
    EXPECT_FALSE(meter.has_room(2, 99));
    EXPECT_FALSE(meter.has_room(1, 100));
}

TEST(budget_meter, looks_that_move_nothing_are_limited_too) {
    EXPECT_EQ(looks({.moves = 10}, 0), 64u + 40);
    EXPECT_EQ(looks({.bytes = 64_KiB}, 0), 64u + 256);
    EXPECT_EQ(looks({.bytes = 64_KiB, .moves = 10}, 0), 64u + 40);
    EXPECT_EQ(looks(budget::unlimited(), 0), 100'000u);
    budget_meter meter{{.moves = 10}};
    std::size_t n = 0;
    while (!meter.spent(5, 5)) // of which five moved something
        ++n;
    EXPECT_EQ(n, 64u + 40 + 5);
}

TEST(budget_meter, time_is_read_at_once_and_each_16_looks) {
    EXPECT_EQ(looks({.nanoseconds = 0}, 0), 0u);
    using clock = std::chrono::steady_clock;
    const auto has_passed = [](clock::time_point since, std::chrono::milliseconds time) {
        return clock::now() - since >= time;
    };
    clock::time_point begin = clock::now();
    budget_meter meter{{.nanoseconds = 100'000'000}};
    // A busy machine may let others run in between.
    while (meter.spent(0, 0)) {
        ASSERT_TRUE(has_passed(begin, std::chrono::milliseconds{100}));
        begin = clock::now();
        meter = budget_meter{{.nanoseconds = 100'000'000}};
    }
    begin = clock::now();
    while (!has_passed(begin, std::chrono::milliseconds{101})) {
    }
    std::size_t n = 1;
    while (!meter.spent(0, 0))
        ++n;
    EXPECT_LE(n, 16u);
}

TEST(budget_meter, it_says_how_far_it_is_worth_to_look_ahead) {
    budget_meter meter{{.bytes = 10'000, .moves = 20}};
    EXPECT_FALSE(meter.spent(0, 0)); // the first of 64 and 39
    EXPECT_FALSE(meter.ends_within(19, 0, 0));
    EXPECT_TRUE(meter.ends_within(20, 0, 0));
    EXPECT_FALSE(meter.ends_within(4, 10, 7000)) << "700 bytes each";
    EXPECT_TRUE(meter.ends_within(5, 10, 7000));
    for (int i = 0; i < 90; ++i)
        EXPECT_FALSE(meter.spent(0, 0));
    EXPECT_FALSE(meter.ends_within(12, 0, 0)) << "of 64 and 39 looks that move nothing";
    EXPECT_TRUE(meter.ends_within(13, 0, 0));
}

} // namespace
