// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "probes/clock.hpp"
#include "probes/interruptions.hpp"
#include "probes/latency.hpp"
#include "probes/random.hpp"
#include "probes/request.hpp"
#include "probes/reserved.hpp"
#include "probes/resident.hpp"
#include "probes/ticks.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

using namespace arenite::lab;

namespace {

TEST(lab_resident, counts_what_was_touched) {
    const auto before = resident();
    if (!before)
        GTEST_SKIP() << "this system does not tell";
    constexpr std::size_t bytes = std::size_t{8} << 20;
    const reserved<char> memory{bytes};
    const auto after = resident();
    EXPECT_GE(after->bytes, before->bytes + bytes);
    EXPECT_LT(after->bytes, before->bytes + bytes + bytes / 8);
}

TEST(lab_resident, stays_where_nothing_happens) {
    static_cast<void>(resident()); // its own first call may touch a page of stack or code
    const auto first = resident();
    if (!first)
        GTEST_SKIP() << "this system does not tell";
    for (int i = 0; i < 100; ++i)
        static_cast<void>(resident());
    EXPECT_LE(resident()->bytes, first->bytes + 64 * 1024);
}

TEST(lab_resident, remembers_its_peak) {
    restart_peak();
    const auto before = peak_resident();
    if (!before)
        GTEST_SKIP() << "this system does not tell";
    constexpr std::size_t bytes = std::size_t{8} << 20;
    { const reserved<char> memory{bytes}; }
    EXPECT_GE(*peak_resident(), *before + bytes - bytes / 8);
    restart_peak();
    EXPECT_LT(*peak_resident(), *before + bytes / 2);
}

TEST(lab_resident, counts_page_faults) {
    const std::size_t before = page_faults();
    if (before == 0)
        GTEST_SKIP() << "this system does not tell";
    constexpr std::size_t bytes = std::size_t{1} << 20;
    { const reserved<char> memory{bytes}; }
    EXPECT_GE(page_faults(), before + bytes / 65536); // of 4 KiB, or of 64 at most
    EXPECT_LE(page_faults(), before + bytes / 4096 + 64);
}

TEST(lab_request, is_aligned_as_new_aligns_what_it_knows_nothing_of) {
    EXPECT_EQ(alignment_of_new(1), 1U);
    EXPECT_EQ(alignment_of_new(24), 8U);
    EXPECT_EQ(alignment_of_new(48), 16U);
    EXPECT_EQ(alignment_of_new(4096), 16U);
}

TEST(lab_reserved, is_zero) {
    const reserved<std::uint32_t> memory{1000};
    EXPECT_TRUE(std::all_of(memory.begin(), memory.end(), [](std::uint32_t n) { return n == 0; }));
}

TEST(lab_random, gives_the_same_numbers_everywhere) {
    // std::mt19937_64 is fixed by the standard: its 10000th number from the default seed.
    random_source random{5489};
    std::uint64_t last = 0;
    for (int i = 0; i < 10000; ++i)
        last = random.below(UINT64_MAX);
    EXPECT_EQ(last, 9981545732273789042ULL);

    std::array<int, 5> order{0, 1, 2, 3, 4};
    random_source{7}.shuffle(order);
    std::array<int, 5> again{0, 1, 2, 3, 4};
    random_source{7}.shuffle(again);
    EXPECT_EQ(order, again);
    std::sort(again.begin(), again.end());
    EXPECT_EQ(again, (std::array<int, 5>{0, 1, 2, 3, 4}));
}

TEST(lab_latencies, tell_of_those_that_were_timed_and_no_others) {
    latencies times{10};
    for (std::size_t i = 0; i < 5; ++i)
        times.time(i, [] {
            const stopwatch watch;
            while (watch.nanoseconds() < 1000) {
            }
        });
    EXPECT_GE(times.percentile(0, 5), 900);
    EXPECT_GE(times.percentile(1, 5), times.percentile(0.5, 5));
    EXPECT_EQ(times.percentile(0), 0) << "five of ten were not timed";
}

TEST(lab_latencies_threads, leave_out_what_the_system_interrupted) {
    std::atomic<bool> ended{false};
    std::vector<std::thread> others; // more than there are processors
    for (unsigned i = 0; i <= std::thread::hardware_concurrency(); ++i)
        others.emplace_back([&] {
            while (!ended.load(std::memory_order_relaxed)) {
            }
        });
    const std::size_t before = interruptions();
    latencies times{2};
    times.time(1, [&] {
        const stopwatch watch; // until it was interrupted, or the system does not tell
        while (interruptions() == before && watch.nanoseconds() < 5e9) {
        }
    });
    const std::size_t after = interruptions();
    ended = true;
    for (std::thread& other : others)
        other.join();
    if (after == before)
        GTEST_SKIP() << "this system does not tell";
    EXPECT_EQ(times.percentile(1), 0);
}

TEST(lab_latencies, keep_what_is_long_by_itself) {
    latencies times{200};
    for (std::size_t i = 0; i < 200; ++i)
        times.time(i, [] {
            const stopwatch watch;
            while (watch.nanoseconds() < 50'000) {
            }
        });
    EXPECT_GE(times.percentile(1), 50'000 * 0.9);
}

TEST(lab_ticks, advance_at_the_measured_rate) {
    const double rate = measure_ticks_per_ns();
    EXPECT_GT(rate, 0.001);
    EXPECT_LT(rate, 100);
    const std::uint64_t first = ticks();
    EXPECT_GE(ticks(), first);
}

} // namespace
