// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/ordered/detail/unit_runs.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <random>

using namespace arenite::detail;

namespace {

/// The powers of two that fit into the longest run, unit by unit.
unsigned counted(const bits::word (&taken)[4], std::size_t count) {
    std::size_t longest = 0;
    std::size_t run = 0;
    for (std::size_t i = 0; i < count; ++i) {
        run = (taken[i / 64] >> i % 64 & 1) != 0 ? 0 : run + 1;
        longest = std::max(longest, run);
    }
    unsigned powers = 0;
    for (unsigned k = 0; k < 8 && std::size_t{1} << k <= longest; ++k)
        powers |= 1u << k;
    return powers;
}

TEST(unit_runs, powers_are_those_of_the_longest_run) {
    const unsigned seed = std::random_device{}();
    std::mt19937 random{seed};
    for (int round = 0; round < 20'000; ++round) {
        bits::word taken[4] = {};
        const auto runs = static_cast<unsigned>(random() % 12);
        for (unsigned n = 0; n < runs; ++n) {
            const std::size_t first = random() % 256;
            const std::size_t end = std::min<std::size_t>(256, first + random() % 80);
            for (std::size_t i = first; i < end; ++i)
                taken[i / 64] |= bits::word{1} << i % 64;
        }
        const std::size_t count = round % 2 == 0 ? 256 : 1 + random() % 256;
        ASSERT_EQ(free_run_powers(taken, count), counted(taken, count))
            << count << " units, seed " << seed;
    }
    for (std::size_t first = 0; first <= 256; ++first)
        for (std::size_t end = first; end <= 256; ++end) { // one run that is free
            bits::word taken[4] = {};
            for (std::size_t i = 0; i < 256; ++i)
                taken[i / 64] |= bits::word{i < first || i >= end} << i % 64;
            ASSERT_EQ(free_run_powers(taken, 256), counted(taken, 256)) << first << " to " << end;
        }
    const bits::word all[4] = {~bits::word{0}, ~bits::word{0}, ~bits::word{0}, ~bits::word{0}};
    EXPECT_EQ(free_run_powers(all, 256), 0u);
    EXPECT_EQ(free_run_powers({}, 256), 255u);
    EXPECT_EQ(free_run_powers({}, 64), 127u);
    EXPECT_EQ(free_run_powers({}, 63), 63u);
}

} // namespace
