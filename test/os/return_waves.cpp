// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/os/detail/return_waves.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>

using arenite::detail::return_waves;

namespace {

constexpr std::uint64_t delay = 1000;

/// Use rises to 100, from wherever it was, and falls to `low`, and half of that goes.
void wave(return_waves& w, std::uint64_t now, std::size_t low = 0, std::size_t high = 100) {
    w.note_use(high);
    for (std::size_t in_use = high; in_use-- > low;) {
        w.judge(now, delay);
        if (in_use % 2 == 0)
            w.note_given(1, in_use, 100, now);
    }
}

TEST(return_waves, a_program_is_expected_when_two_waves_have_come_back) {
    return_waves w;
    EXPECT_FALSE(w.is_expected());
    wave(w, 10);
    EXPECT_FALSE(w.is_expected());
    wave(w, 20);
    EXPECT_FALSE(w.is_expected());
    wave(w, 30);
    EXPECT_TRUE(w.is_expected());
    wave(w, 40);
    EXPECT_TRUE(w.is_expected());
}

TEST(return_waves, a_wave_that_stays_away_for_the_delay_ends_it) {
    return_waves w;
    for (std::uint64_t now : {10, 20, 30})
        wave(w, now);
    ASSERT_TRUE(w.is_expected());
    w.judge(30 + delay - 1, delay);
    EXPECT_TRUE(w.is_expected());
    w.judge(30 + delay, delay);
    EXPECT_FALSE(w.is_expected());
    wave(w, 2000);
    wave(w, 2010);
    EXPECT_FALSE(w.is_expected()) << "it begins anew";
    wave(w, 2020);
    EXPECT_TRUE(w.is_expected());
}

TEST(return_waves, one_that_came_back_and_one_that_did_not_are_not_two) {
    return_waves w;
    wave(w, 10);
    wave(w, 20);          // the first came back
    w.judge(5000, delay); // the second did not
    wave(w, 5010);
    wave(w, 5020);
    EXPECT_FALSE(w.is_expected());
}

TEST(return_waves, what_swings_near_the_peak_is_no_wave) {
    return_waves w;
    for (std::uint64_t now = 0; now < 100; now += 10)
        wave(w, now, 80);
    EXPECT_FALSE(w.is_expected());
}

TEST(return_waves, what_came_back_is_expected_twice_over_and_no_more) {
    return_waves w;
    for (std::uint64_t now : {10, 20})
        wave(w, now, 40);
    EXPECT_EQ(w.expected_bytes(), 0u);
    wave(w, 30, 40);
    EXPECT_EQ(w.expected_bytes(), 120u);
    wave(w, 40, 20);
    wave(w, 50, 60);
    EXPECT_EQ(w.expected_bytes(), 160u) << "the highest counts";
    w.judge(5000, delay);
    EXPECT_EQ(w.expected_bytes(), 0u);
    for (std::uint64_t now : {5010, 5020, 5030})
        wave(w, now, 70);
    EXPECT_EQ(w.expected_bytes(), 60u) << "those before have been forgotten";
}

TEST(return_waves, how_high_use_was_once_says_nothing_of_what_came_back) {
    return_waves w;
    w.note_use(100); // the peak, once
    for (std::uint64_t now : {10, 20, 30})
        wave(w, now, 10, 50);
    EXPECT_TRUE(w.is_expected());
    EXPECT_EQ(w.expected_bytes(), 80u);
}

TEST(return_waves, growth_is_not_coming_back) {
    return_waves w;
    for (int n = 0; n < 10; ++n) {
        wave(w, 10);
        w.note_use(200); // beyond the peak by as much again
        w.judge(10, delay);
    }
    EXPECT_FALSE(w.is_expected());
}

TEST(return_waves, little_that_goes_says_nothing) {
    return_waves w;
    for (std::uint64_t now = 0; now < 100; now += 10) {
        w.note_use(100);
        w.judge(now, delay);
        w.note_given(5, 0, 100, now);
    }
    EXPECT_FALSE(w.is_expected());
}

} // namespace
