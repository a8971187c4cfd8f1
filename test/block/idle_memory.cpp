// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Which of a heap's free memory is idle, by a clock that the tests set.
#include <arenite/block/detail/idle_memory.hpp>
#include <arenite/core/literals.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>

using namespace arenite;
using namespace arenite::literals;

namespace {

TEST(idle_memory, what_stays_free_for_a_second_is_due_and_no_more_than_that) {
    detail::idle_memory idle;
    EXPECT_FALSE(idle.is_due(1000, 20_MiB, 100_MiB, 10_MiB));
    EXPECT_FALSE(idle.is_due(1999, 20_MiB, 100_MiB, 10_MiB));
    EXPECT_TRUE(idle.is_due(2000, 20_MiB, 100_MiB, 10_MiB));
    idle.note_given(4_MiB, 2000, 100_MiB);
    EXPECT_TRUE(idle.is_due(2001, 16_MiB, 100_MiB, 10_MiB));
    idle.note_given(8_MiB, 2001, 100_MiB);
    EXPECT_FALSE(idle.is_due(2002, 12_MiB, 100_MiB, 10_MiB)) << "10 MiB were idle";
}

TEST(idle_memory, where_objects_come_and_go_at_one_level_the_lowest_point_of_a_second_counts) {
    detail::idle_memory idle;
    std::size_t gone = 0;
    for (std::uint64_t ms = 5000; ms < 15'000; ++ms) { // free: between 12 and 30 MiB, as ever
        idle.note_request(12_MiB, 100_MiB);
        if (idle.is_due(ms, 30_MiB, 90_MiB, 10_MiB)) {
            gone += 1_MiB;
            idle.note_given(1_MiB, ms, 90_MiB);
        }
    }
    EXPECT_GE(gone, 18_MiB);
    EXPECT_LE(gone, 20_MiB) << "2 MiB a second, of 18,000 that were freed";
}

TEST(idle_memory, what_is_wanted_in_each_second_is_never_due) {
    detail::idle_memory idle;
    for (std::uint64_t ms = 5000; ms < 15'000; ms += 100) {
        idle.note_request(9_MiB, 100_MiB);
        EXPECT_FALSE(idle.is_due(ms, 300_MiB, 99_MiB, 10_MiB)) << ms;
    }
}

TEST(idle_memory, after_a_phase_all_beyond_32_mib_and_a_quarter_is_due_at_once) {
    detail::idle_memory idle;
    idle.note_request(0, 1000_MiB);
    EXPECT_FALSE(idle.is_due(1000, 200_MiB, 800_MiB, 100_MiB)) << "not fallen by a quarter";
    EXPECT_FALSE(idle.is_due(1000, 175_MiB, 740_MiB, 100_MiB)) << "a quarter may stay";
    EXPECT_TRUE(idle.is_due(1000, 190_MiB, 740_MiB, 100_MiB));
    EXPECT_TRUE(idle.is_due(1000, 33_MiB, 1_MiB, 1_MiB));
    EXPECT_FALSE(idle.is_due(1000, 32_MiB, 1_MiB, 1_MiB));
    idle.note_request(0, 2000_MiB);
    EXPECT_TRUE(idle.is_due(1001, 500_MiB, 1400_MiB, 100_MiB)) << "of the new height";
}

TEST(idle_memory, a_phase_may_end_in_some_seconds) {
    detail::idle_memory idle;
    idle.note_request(0, 400_MiB);
    EXPECT_FALSE(idle.is_due(1000, 80_MiB, 320_MiB, 40_MiB));
    idle.note_request(0, 320_MiB); // all is wanted, and then free again
    EXPECT_FALSE(idle.is_due(2000, 80_MiB, 320_MiB, 40_MiB));
    EXPECT_FALSE(idle.is_due(2000, 62_MiB, 250_MiB, 40_MiB)) << "a quarter may stay";
    EXPECT_TRUE(idle.is_due(2000, 120_MiB, 250_MiB, 40_MiB)) << "from 350, as of 400 a second ago";
    for (std::uint64_t ms = 3000; ms < 9000; ms += 500) {
        idle.note_request(0, 250_MiB);
        static_cast<void>(idle.is_due(ms, 120_MiB, 250_MiB, 40_MiB));
    }
    EXPECT_FALSE(idle.is_due(9000, 120_MiB, 250_MiB, 40_MiB)) << "this is the height now";
}

TEST(idle_memory, the_height_of_a_phase_outlives_what_is_allowed) {
    detail::idle_memory idle;
    idle.note_request(0, 400_MiB);
    idle.end_excess(); // while 50 MiB are free, and may be
    EXPECT_FALSE(idle.is_due(1000, 45_MiB, 355_MiB, 44_MiB));
    EXPECT_FALSE(idle.is_due(1000, 80_MiB, 320_MiB, 40_MiB));
    EXPECT_FALSE(idle.is_due(2050, 83_MiB, 317_MiB, 83_MiB));
    EXPECT_TRUE(idle.is_due(2050, 154_MiB, 246_MiB, 83_MiB));
}

TEST(idle_memory, an_excess_that_ends_begins_anew) {
    detail::idle_memory idle;
    EXPECT_FALSE(idle.is_due(1000, 20_MiB, 100_MiB, 10_MiB));
    idle.end_excess();
    EXPECT_FALSE(idle.is_due(2500, 20_MiB, 100_MiB, 10_MiB));
    EXPECT_TRUE(idle.is_due(3500, 20_MiB, 100_MiB, 10_MiB));
    idle.end_excess();
    EXPECT_FALSE(idle.is_due(3501, 20_MiB, 100_MiB, 10_MiB)) << "nothing is due any more";
}

/// All of 100 MiB is taken and then freed; as much goes as is due. Returns how much went.
std::size_t phase(detail::idle_memory& idle, std::uint64_t ms, std::size_t resident = 0,
                  std::size_t height = 100_MiB) {
    std::size_t gone = 0;
    if (resident == 0)
        idle.end_excess();
    for (std::size_t taken = 0; taken <= height; taken += 1_MiB)
        idle.note_request(resident > taken ? resident - taken : 0, taken);
    for (std::size_t taken = height; taken-- != 0; taken -= taken % 1_MiB) {
        while (idle.is_due(ms, height - taken - gone, taken, 1_MiB)) {
            idle.note_given(4_MiB, ms, taken);
            gone += 4_MiB;
        }
    }
    return gone;
}

TEST(idle_memory, of_a_program_that_has_come_back_twice_nothing_goes_when_a_phase_ends) {
    detail::idle_memory idle;
    EXPECT_GE(phase(idle, 1000), 64_MiB);
    EXPECT_GE(phase(idle, 1100), 64_MiB);
    EXPECT_EQ(phase(idle, 1200), 0u);
    EXPECT_EQ(phase(idle, 1300, 100_MiB), 0u);
}

TEST(idle_memory, what_a_program_does_not_come_back_for_in_four_seconds_is_due_all_the_same) {
    detail::idle_memory idle;
    for (const std::uint64_t ms : {1000, 1100, 1200})
        static_cast<void>(phase(idle, ms));
    EXPECT_FALSE(idle.is_due(5200, 100_MiB, 0, 10_MiB)) << "it was wanted in these four seconds";
    EXPECT_FALSE(idle.is_due(9199, 100_MiB, 0, 10_MiB));
    ASSERT_TRUE(idle.is_due(9200, 100_MiB, 0, 10_MiB));
    idle.note_given(90_MiB, 9200, 0);
    EXPECT_FALSE(idle.is_due(9200, 10_MiB, 0, 10_MiB)) << "that was all";
    EXPECT_FALSE(idle.is_due(13'199, 40_MiB, 0, 10_MiB));
    EXPECT_TRUE(idle.is_due(13'200, 40_MiB, 0, 10_MiB)) << "it stayed away: expected no more";
}

TEST(idle_memory, of_more_than_256_mib_the_rest_is_due_whoever_is_expected) {
    detail::idle_memory idle;
    for (const std::uint64_t ms : {1000, 1100, 1200})
        static_cast<void>(phase(idle, ms, 0, 200_MiB));
    idle.note_request(0, 600_MiB);
    EXPECT_FALSE(idle.is_due(1300, 256_MiB, 100_MiB, 10_MiB));
    EXPECT_TRUE(idle.is_due(1300, 257_MiB, 100_MiB, 10_MiB));
    EXPECT_FALSE(idle.is_due(1300, 300_MiB, 500_MiB, 10_MiB)) << "no phase has ended";
}

TEST(idle_memory, of_more_than_twice_what_came_back_the_rest_is_due) {
    detail::idle_memory idle;
    for (const std::uint64_t ms : {1000, 1100, 1200})
        static_cast<void>(phase(idle, ms, 0, 60_MiB));
    idle.note_request(0, 600_MiB);
    EXPECT_FALSE(idle.is_due(1300, 110_MiB, 300_MiB, 10_MiB));
    EXPECT_TRUE(idle.is_due(1300, 121_MiB, 300_MiB, 10_MiB));
}

TEST(idle_memory, what_cannot_go_is_not_due_again) {
    detail::idle_memory idle;
    EXPECT_FALSE(idle.is_due(1000, 20_MiB, 100_MiB, 10_MiB));
    EXPECT_TRUE(idle.is_due(2000, 20_MiB, 100_MiB, 10_MiB));
    idle.give_up();
    EXPECT_FALSE(idle.is_due(2001, 20_MiB, 100_MiB, 10_MiB));
}

} // namespace
