// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <analysis/profile.hpp>
#include <analysis/sites.hpp>
#include <gtest/gtest.h>
#include <malloc.h>
#include <numeric>
#include <random>
#include <replay/runs.hpp>
#include <report/timeline.hpp>
#include <trace/reader.hpp>
#include <vector>

// Reading takes memory by the objects that live at once, and not by the length of the trace.
namespace arenite::advisor {
namespace {

using trace::event;
using trace::op;

/// The bytes that this process has asked of malloc and not given back.
std::size_t bytes_in_use() {
#if __GLIBC_PREREQ(2, 33)
    const struct mallinfo2 now = ::mallinfo2();
#else
    const struct mallinfo now = ::mallinfo();
#endif
    return static_cast<std::size_t>(now.uordblks) + static_cast<std::size_t>(now.hblkhd);
}

constexpr unsigned seed = 5;
constexpr std::uint64_t object_bytes = 48;
constexpr std::uint32_t call_stacks = 50;

/// A program that makes `live` objects, and then ends one of them, at random, before it makes the
/// next. It notes the most memory that its reader holds.
class made_up_program final : public trace::source {
public:
    made_up_program(std::uint64_t events, std::uint64_t live)
        : events_{events}, part_(4096), live_(live), before_{bytes_in_use()} {
        std::iota(live_.begin(), live_.end(), std::uint64_t{1});
    }

    std::span<const event> next() override {
        most_ = std::max(most_, held());
        std::size_t n = 0;
        for (; n < part_.size() && done_ < events_; ++n, ++done_)
            part_[n] = one();
        return std::span{part_}.first(n);
    }
    /// By what reads it, at most and now.
    [[nodiscard]] std::size_t most_held() const { return most_; }
    [[nodiscard]] std::size_t held() const { return std::max(bytes_in_use(), before_) - before_; }
    [[nodiscard]] std::uint64_t births() const { return births_; }

private:
    event one() {
        if (born_ < live_.size())
            return birth(live_[born_++]);
        std::uint64_t& chosen = live_[at_];
        if (ended_) {
            ended_ = false;
            return birth(chosen);
        }
        at_ = static_cast<std::size_t>(random_() % live_.size());
        ended_ = true;
        return {.time = done_, .address = live_[at_] * 64, .what = op::free};
    }
    event birth(std::uint64_t place) {
        ++births_;
        const auto stack = static_cast<std::uint32_t>(1 + place % call_stacks);
        return {.time = done_, .address = place * 64, .bytes = object_bytes, .stack = stack};
    }

    std::uint64_t events_, done_ = 0, births_ = 0;
    std::vector<event> part_;
    std::vector<std::uint64_t> live_;
    std::mt19937_64 random_{seed};
    std::size_t born_ = 0, at_ = 0;
    bool ended_ = false;
    std::size_t before_, most_ = 0;
};

constexpr std::uint64_t live = 20'000, short_trace = 200'000, long_trace = 2'000'000;
constexpr std::size_t small = 64u << 10; ///< a byte for 28 events more

std::size_t most_of_profile(std::uint64_t events) {
    made_up_program program{events, live};
    const profile p{program};
    EXPECT_EQ(p.events(), events);
    EXPECT_EQ(p.end_count(), live - events % 2);
    return program.most_held();
}

TEST(long_traces, take_no_more_memory_for_a_profile) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const std::size_t of_short = most_of_profile(short_trace);
    EXPECT_GE(of_short, live * object_bytes); // it is what lives that takes it
    EXPECT_LE(most_of_profile(long_trace), of_short + small);
}

TEST(long_traces, leave_their_memory_to_the_replays) {
    made_up_program program{short_trace, live};
    const profile p{program};
    EXPECT_EQ(p.end_bytes(), live * object_bytes);
    EXPECT_EQ(p.end_count(), live);
    EXPECT_EQ(p.never_seen(), 0u);
    EXPECT_LE(program.held(), small);
}

TEST(long_traces, are_drawn_in_as_many_steps_and_no_more_memory) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::vector<std::size_t> most;
    for (const std::uint64_t events : {short_trace, long_trace}) {
        made_up_program program{events, live};
        const timeline t = timeline_of(program, {}, events);
        most.push_back(program.most_held());
        ASSERT_EQ(t.at.size(), timeline::steps);
        ASSERT_EQ(t.live.size(), 1u); // no call site is known: others
        const double last = t.live[0].back();
        EXPECT_LE(last, double(live * object_bytes));
        EXPECT_GE(last, double((live - 1) * object_bytes));
        double drawn = 0;
        for (const auto& row : t.lives)
            drawn = std::accumulate(row.begin(), row.end(), drawn);
        EXPECT_EQ(drawn, double(program.births()));
    }
    EXPECT_LE(most[1], most[0] + small);
}

TEST(long_traces, leave_room_for_their_events_when_the_machine_is_warmed) {
    constexpr std::uint64_t gigabyte = 1u << 30, advisor = 32u << 20, objects = 1'000'000;
    replay::prepared_head head{};
    head.events = prepared_trace::most_events;
    head.births[replay::points] = replay::points * objects;
    head.peak_live_bytes = objects * 264; // of 16 to 512 bytes
    const std::uint64_t prepared =
        head.events * sizeof(replay::prepared_event) + head.births[replay::points] * 4;
    EXPECT_LE(prepared + advisor + bytes_to_warm(head), gigabyte);
    EXPECT_GE(bytes_to_warm(head), head.peak_live_bytes * 5 / 4); // what a replay takes
    head.events = 1000;
    head.births[replay::points] = 0;
    head.peak_live_bytes = 1u << 20;
    EXPECT_EQ(bytes_to_warm(head), (std::size_t{3} << 20) + (64u << 20));
}

} // namespace
} // namespace arenite::advisor
