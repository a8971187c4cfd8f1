// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// The windows of page_resource: huge pages that several requests share, prepared ones, and what of
// them goes back. Large requests that find what waits.
#include <arenite/core/alignment.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/os/detail/platform.hpp>
#include <arenite/os/page_resource.hpp>

#include "os/page_test.hpp"
#include "support/mappings.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#if defined(__linux__)
#include <sys/prctl.h>
#include <sys/resource.h>
#endif

using namespace arenite;
using namespace page_test;
using detail::os::platform;

namespace {

constexpr std::size_t window = 2_MiB;

bool is_advised(const void* p) {
    return support::mapping_flags(p).find(" hg ") != std::string::npos;
}

/// A source of pages that holds 2 MiB in small pages: windows begin above.
class page_windows : public testing::Test {
protected:
    page_resource pages{slowly()};
    std::byte* base = nullptr;

    void SetUp() override {
        if (platform::huge_page_bytes() != window)
            GTEST_SKIP() << "huge pages of another size";
        base = touched(pages, window - unit); // not aligned for its size: the first window
        if (support::emulated() || support::mapping_flags(base).empty())
            GTEST_SKIP() << "this system does not tell the advice it was given";
        ASSERT_TRUE(is_aligned(base, window));
    }

    std::byte* dense(std::size_t bytes, std::size_t alignment = 16) {
        auto* const p = bytes_at(pages.lend(bytes, alignment, page_use::dense).p);
        std::memset(p, 1, bytes);
        return p;
    }
    /// Memory that is resident beyond what is in use: what waits, is left over, and bookkeeping.
    std::size_t beside() {
        const usage u = pages.usage();
        return u.bytes_reserved - u.bytes_in_use;
    }
};

TEST_F(page_windows, several_requests_share_a_huge_page) {
    std::byte* const a = dense(256_KiB);
    std::byte* const b = dense(512_KiB);
    EXPECT_EQ(a, base + window);
    EXPECT_EQ(b, a + 256_KiB);
    EXPECT_TRUE(is_advised(a));
    EXPECT_TRUE(is_advised(a + window - 1));
    EXPECT_FALSE(is_advised(base)) << "what is in use in small pages stays so";
    EXPECT_GE(beside(), window - 768_KiB) << "what is left over of it counts as reserved";
    EXPECT_EQ(pages.allocate(unit), base + window - unit) << "others get the lowest place";
    EXPECT_EQ(pages.allocate(unit), b + 512_KiB) << "also in what is left over";
}

TEST_F(page_windows, what_may_be_touched_in_part_only_stays_in_small_pages) {
    EXPECT_FALSE(is_advised(pages.allocate(1_MiB)));
}

TEST_F(page_windows, small_users_stay_in_small_pages) {
    page_resource others{slowly()};
    auto* const p = bytes_at(others.lend(512_KiB, 16, page_use::dense).p);
    EXPECT_FALSE(is_advised(p));
    EXPECT_NE(support::mapping_flags(p).find(" nh "), std::string::npos)
        << "whatever the system does for others";
    EXPECT_TRUE(is_advised(others.lend(512_KiB, 16, page_use::dense).p)) << "1 MiB is in use";
}

TEST_F(page_windows, one_of_which_nothing_is_in_use_goes_as_a_whole) {
    std::byte* const a = dense(256_KiB);
    std::byte* const b = dense(256_KiB);
    pages.deallocate(b, 256_KiB);
    pages.release(a, 256_KiB);
    EXPECT_EQ(platform::resident_bytes(a, window), 0u) << "and what waited there";
    EXPECT_FALSE(is_advised(a));
    EXPECT_LT(beside(), 64_KiB);
    EXPECT_EQ(dense(256_KiB), a);
    EXPECT_TRUE(is_advised(a));
}

TEST_F(page_windows, one_that_loses_a_part_is_in_small_pages_from_then_on) {
    std::byte* const a = dense(256_KiB);
    std::byte* const b = dense(256_KiB);
    pages.release(a, 256_KiB);
    EXPECT_EQ(platform::resident_bytes(a, 256_KiB), 0u);
    EXPECT_FALSE(is_advised(b));
    EXPECT_EQ(*b, std::byte{1});
    pages.give_back_due(); // what was left over of it is due at once
    EXPECT_EQ(platform::resident_bytes(b + 256_KiB, window - 512_KiB), 0u);
    EXPECT_EQ(dense(256_KiB), b - 256_KiB + window) << "another window";
    pages.release(b, 256_KiB);
    EXPECT_EQ(platform::resident_bytes(a, window), 0u);
    EXPECT_EQ(dense(256_KiB), a);
    EXPECT_TRUE(is_advised(a)) << "nothing of it was in use";
}

TEST_F(page_windows, one_that_would_lose_a_part_goes_after_those_that_go_as_a_whole) {
    std::byte* const whole = dense(8_MiB);
    std::byte* const kept = dense(256_KiB);
    std::byte* const part = dense(256_KiB);
    ASSERT_EQ(align_down(address_of(part), window), align_down(address_of(kept), window));
    ASSERT_GT(part, whole);
    pages.deallocate(part, 256_KiB);
    pages.deallocate(whole, 8_MiB);
    static_cast<void>(dense(16_MiB)); // a third of 18 MiB may wait now, of 8
    EXPECT_LE(platform::resident_bytes(whole, 8_MiB), 6_MiB);
    EXPECT_EQ(platform::resident_bytes(part, 256_KiB), 256_KiB);
    EXPECT_TRUE(is_advised(kept));
    EXPECT_EQ(*kept, std::byte{1});
    pages.trim();
    EXPECT_EQ(platform::resident_bytes(part, 256_KiB), 0u) << "it goes all the same";
    EXPECT_FALSE(is_advised(kept));
    EXPECT_EQ(*kept, std::byte{1});
}

TEST_F(page_windows, one_that_would_lose_a_part_stays_where_one_above_goes_as_a_whole) {
    std::byte* const whole = dense(8_MiB);
    std::byte* const kept = dense(256_KiB);
    std::byte* const part = dense(window - 256_KiB); // up to the end of that window
    std::byte* const above = dense(window);
    static_cast<void>(dense(window));
    ASSERT_EQ(above, part + window - 256_KiB);
    pages.deallocate(part, window - 256_KiB);
    pages.deallocate(above, window);
    pages.deallocate(whole, 8_MiB);
    static_cast<void>(dense(16_MiB)); // of 12 MiB that wait a third of the peak may go on
    EXPECT_EQ(platform::resident_bytes(above, window), 0u);
    EXPECT_LT(platform::resident_bytes(whole, 8_MiB), 8_MiB);
    EXPECT_EQ(platform::resident_bytes(part, window - 256_KiB), window - 256_KiB);
    EXPECT_TRUE(is_advised(kept));
}

TEST_F(page_windows, one_whose_user_drops_pages_is_not_filled_up_by_the_system) {
    std::byte* const a = dense(512_KiB);
    std::byte* const b = dense(window - 512_KiB);
    std::byte* const c = dense(window);
    pages.purge(a + 1, platform::page_bytes()); // no whole page
    EXPECT_TRUE(is_advised(a));
    pages.purge(a + unit, unit);
    EXPECT_EQ(platform::resident_bytes(a + unit, unit), 0u);
    EXPECT_EQ(*a, std::byte{1});
    EXPECT_EQ(*b, std::byte{1});
    EXPECT_FALSE(is_advised(a));
    EXPECT_FALSE(is_advised(b + window - 512_KiB - 1));
    EXPECT_TRUE(is_advised(c)) << "another window";
    pages.purge(c - unit, 2 * unit);
    EXPECT_FALSE(is_advised(c)) << "each that it lies in";
    pages.release(a, 512_KiB);
    pages.release(b, window - 512_KiB);
    EXPECT_EQ(platform::resident_bytes(a, window), 0u);
}

TEST_F(page_windows, one_that_waits_in_small_pages_stays_so) {
    EXPECT_TRUE(is_advised(dense(1_MiB)));
    pages.deallocate(base, window - unit);
    auto* const p = bytes_at(pages.lend(512_KiB, 16, page_use::dense).p);
    EXPECT_EQ(p, base);
    EXPECT_EQ(*p, std::byte{1}) << "it is resident";
    EXPECT_FALSE(is_advised(p));
}

TEST_F(page_windows, a_large_request_takes_whole_ones_and_keeps_those_that_wait) {
    std::byte* const p = dense(4 * window);
    EXPECT_TRUE(is_advised(p));
    EXPECT_TRUE(is_advised(p + 4 * window - 1));
    pages.deallocate(p, 4 * window);
    pages.release(pages.allocate(window), window); // the first of them has gone
    ASSERT_EQ(platform::resident_bytes(p, 4 * window), 3 * window);
    EXPECT_EQ(pages.allocate(4 * window), p);
    EXPECT_EQ(platform::resident_bytes(p, 4 * window), 3 * window);
    EXPECT_EQ(p[window], std::byte{1});
    EXPECT_TRUE(is_advised(p));
}

TEST_F(page_windows, the_end_of_a_large_request_is_not_dropped_and_faulted_again) {
    for (const page_use use : {page_use::sparse, page_use::dense}) {
        constexpr std::size_t bytes = window + 768_KiB;
        auto* const p = bytes_at(pages.lend(bytes, 16, use).p);
        std::memset(p, 1, bytes);
        EXPECT_TRUE(is_advised(p));
        EXPECT_EQ(is_advised(p + bytes - 1), use == page_use::dense);
        pages.deallocate(p, bytes);
        ASSERT_EQ(bytes_at(pages.lend(bytes, 16, use).p), p);
        EXPECT_EQ(platform::resident_bytes(p, bytes), bytes);
        EXPECT_EQ(p[bytes - 1], std::byte{1});
        pages.release(p, bytes);
        EXPECT_EQ(platform::resident_bytes(p, 2 * window), 0u);
    }
}

TEST_F(page_windows, with_huge_pages_always_one_goes_whole_when_nothing_of_it_is_in_use) {
    page_options options = slowly();
    options.huge = huge_pages::always;
    page_resource others{options};
    constexpr std::size_t bytes = window + unit; // the rest of a window is filled by the system
    std::vector<std::byte*> all(6);
    for (std::byte*& p : all)
        p = touched(others, bytes);
    std::byte* const above = touched(others, 2 * window); // so that the addresses below stay
    for (std::byte* const p : all)
        others.deallocate(p, bytes);
    others.trim();
    const auto [first, last] = std::minmax_element(all.begin(), all.end());
    ASSERT_GT(above, *last);
    const auto between = static_cast<std::size_t>(above - *first);
    EXPECT_LE(platform::resident_bytes(*first, between), 2 * window);
    others.deallocate(above, 2 * window);
}

TEST_F(page_windows, trim_leaves_only_what_is_in_use) {
    std::vector<std::byte*> all;
    for (int i = 0; i < 40; ++i)
        all.push_back(dense(256_KiB));
    for (std::size_t i = 0; i < all.size(); ++i)
        if (i % 8 != 3)
            pages.deallocate(all[i], 256_KiB);
    pages.trim();
    EXPECT_LT(beside(), 64_KiB);
    EXPECT_EQ(platform::resident_bytes(base + window, 5 * window), 5 * 256_KiB);
}

// ---- ahead --------------------------------------------------------------------------------------

#if defined(__linux__)
long faults() {
    rusage u{};
    ::getrusage(RUSAGE_SELF, &u);
    return u.ru_minflt;
}

TEST_F(page_windows, what_was_prepared_needs_no_page_fault) {
    if (ARENITE_HAS_ASAN || ARENITE_HAS_TSAN || ARENITE_HAS_MSAN)
        GTEST_SKIP() << "a sanitizer's shadow memory has page faults of its own";
    if (::prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0) != 0)
        GTEST_SKIP() << "no huge pages for this process";
    EXPECT_TRUE(pages.prepare(3 * window));
    EXPECT_EQ(platform::resident_bytes(base + window, 3 * window), 3 * window);
    EXPECT_GE(beside(), 3 * window) << "it waits";
    EXPECT_EQ(pages.usage().high_water_bytes, window - unit) << "and was not in use";
    const long before = faults();
    for (int i = 0; i < 4; ++i)
        EXPECT_LT(dense(256_KiB), base + 2 * window);
    std::byte* const p = dense(2 * window);
    EXPECT_EQ(p, base + 2 * window);
    EXPECT_LE(faults() - before, 8);
    EXPECT_TRUE(pages.prepare(1)) << "a frame later";
    EXPECT_TRUE(pages.prepare(1)) << "it is there still";
    EXPECT_LT(beside(), window + 1_MiB + 64_KiB);
}
#endif

TEST_F(page_windows, what_was_prepared_in_vain_goes_after_the_delay) {
    EXPECT_TRUE(pages.prepare(40_MiB)) << "more than may wait otherwise";
    EXPECT_GE(beside(), 40_MiB);
    the_time += 1000;
    while (pages.give_back_due() && the_time < 20'000)
        the_time += 10;
    EXPECT_LT(beside(), 64_KiB);
}

TEST_F(page_windows, nothing_is_prepared_where_nothing_may_wait_or_is_to_be_had) {
    page_resource at_once{slowly(0)};
    EXPECT_FALSE(at_once.prepare(1));
    EXPECT_TRUE(pages.prepare(0));
    EXPECT_FALSE(pages.prepare(~std::size_t{0}));
    EXPECT_FALSE(pages.prepare(~std::size_t{0} / 2 + 1));
    EXPECT_LT(beside(), 64_KiB);
}

// ---- back, from idle programs too ---------------------------------------------------------------

/// 100 MiB in spans, as a heap has them.
std::vector<std::byte*> fill(page_resource& pages) {
    std::vector<std::byte*> all;
    for (int i = 0; i < 100; ++i) {
        all.push_back(bytes_at(pages.lend(1_MiB, 256_KiB, page_use::dense).p));
        std::memset(all.back(), 1, 1_MiB);
    }
    return all;
}

void give(page_resource& pages, const std::vector<std::byte*>& all) {
    for (std::byte* p : all)
        pages.deallocate(p, 1_MiB);
}

page_options roomy() {
    page_options options = slowly();
    options.reserve_bytes = 512_MiB;
    return options;
}

TEST(page_resource, a_program_that_sleeps_then_keeps_little_of_what_it_was_done_with) {
    page_resource pages{roomy()};
    std::byte* const base = bytes_at(pages.allocate(1));
    give(pages, fill(pages));
    EXPECT_LE(pages.usage().bytes_reserved, 33_MiB);
    if (!support::emulated()) {
        EXPECT_LE(platform::resident_bytes(base, 110_MiB), 33_MiB);
    }
}

TEST(page_resource, one_that_came_back_twice_finds_its_memory_for_four_times_as_long) {
    page_resource pages{roomy()};
    for (int i = 0; i < 3; ++i) {
        give(pages, fill(pages));
        the_time += 10;
    }
    EXPECT_GE(pages.usage().bytes_reserved, 99_MiB);
    the_time += 3900;
    pages.give_back_due();
    EXPECT_GE(pages.usage().bytes_reserved, 99_MiB);
    for (int i = 0; i < 1000; ++i, the_time += 10)
        pages.give_back_due();
    EXPECT_LT(pages.usage().bytes_reserved, 1_MiB);
    give(pages, fill(pages));
    EXPECT_GE(pages.usage().bytes_reserved, 99_MiB) << "half of it was wanted again";
    the_time += 20'000;
    for (int i = 0; i < 1000; ++i, the_time += 10)
        pages.give_back_due();
    the_time += 20'000;
    give(pages, fill(pages));
    give(pages, fill(pages));
    EXPECT_LE(pages.usage().bytes_reserved, 110_MiB);
}

TEST(page_resource, a_loop_gives_back_what_is_due_and_says_whether_more_will_be) {
    page_resource pages{slowly()};
    EXPECT_FALSE(pages.give_back_due());
    pages.deallocate(touched(pages, 1_MiB), 1_MiB);
    EXPECT_TRUE(pages.give_back_due());
    the_time += 1000;
    EXPECT_FALSE(pages.give_back_due());
    EXPECT_LT(pages.usage().bytes_reserved, 16 * detail::os::platform::page_bytes()); // its tables
}

TEST(page_resource, a_long_cyclic_run_stays_flat) {
    const std::uint64_t seed = std::random_device{}();
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random{seed};
    page_resource pages{roomy()};
    std::byte* const base = bytes_at(pages.allocate(1));
    struct piece {
        std::byte* p;
        std::size_t bytes;
    };
    std::vector<piece> live;
    std::size_t in_use = 0;
    std::size_t most[2] = {};
    constexpr int cycles = 60;
    for (int cycle = 0; cycle < cycles; ++cycle) {
        while (in_use < 30_MiB) {
            const std::size_t bytes = std::min<std::size_t>(
                (1 + random() % 40) * (1 + random() % 2) * unit, 30_MiB + unit - in_use);
            const page_use use = random() % 2 == 0 ? page_use::dense : page_use::sparse;
            auto* const p = bytes_at(pages.lend(bytes, random() % 2 == 0 ? 256_KiB : 16, use).p);
            ASSERT_NE(p, nullptr);
            std::memset(p, 1, bytes);
            live.push_back({p, bytes});
            in_use += bytes;
        }
        std::size_t& here = most[cycle < cycles / 2 ? 0 : 1];
        here = std::max(here, pages.usage().bytes_reserved);
        if (cycle % 8 == 7 && !support::emulated()) {
            EXPECT_LE(platform::resident_bytes(base, 64_MiB), pages.usage().bytes_reserved + 64_KiB)
                << "the books are true";
        }
        const std::size_t low = random() % 20 * 1_MiB;
        while (in_use > low) {
            std::swap(live[random() % live.size()], live.back());
            pages.deallocate(live.back().p, live.back().bytes);
            in_use -= live.back().bytes;
            live.pop_back();
        }
        the_time += random() % 700;
        pages.give_back_due();
    }
    EXPECT_LE(most[1], most[0] + most[0] / 5);
    for (const piece& x : live)
        pages.deallocate(x.p, x.bytes);
}

TEST(page_resource, a_large_request_gets_the_shortest_run_that_waits) {
    page_resource pages{slowly()};
    const auto apart = [&](std::size_t bytes) {
        std::byte* const p = touched(pages, bytes);
        static_cast<void>(touched(pages, unit));
        return p;
    };
    static_cast<void>(touched(pages, 40_MiB)); // a third of it may wait
    std::byte* const long_run = apart(1984_KiB);
    std::byte* const short_run = apart(1216_KiB);
    std::byte* const shortest = apart(1024_KiB - unit);
    std::byte* const short_too = apart(1216_KiB);
    pages.deallocate(long_run, 1984_KiB);
    pages.deallocate(short_run, 1216_KiB);
    pages.deallocate(shortest, 1024_KiB - unit);
    pages.deallocate(short_too, 1216_KiB);
    EXPECT_EQ(pages.allocate(1_MiB), short_run) << "of two that are as long, the lower";
    EXPECT_EQ(pages.allocate(1_MiB + unit), short_too);
    EXPECT_EQ(pages.allocate(1984_KiB), long_run) << "which stayed whole";
    for (std::byte* p : {short_run, short_too, long_run})
        EXPECT_EQ(*p, std::byte{1}) << "no page was cleared for it";
}

TEST(page_resource, a_large_request_gets_what_waits_whole_and_small_ones_the_lowest_place) {
    page_resource pages{slowly()};
    for (const std::size_t bytes : {std::size_t{1_MiB}, std::size_t{3_MiB} + unit}) {
        std::byte* const lower = touched(pages, bytes);
        std::byte* const part = touched(pages, bytes / 2);
        std::byte* const between = touched(pages, unit);
        std::byte* const waits = touched(pages, bytes);
        std::byte* const above = touched(pages, unit);
        pages.release(lower, bytes);
        pages.deallocate(part, bytes / 2);
        pages.deallocate(waits, bytes);
        EXPECT_EQ(pages.allocate(bytes), waits);
        EXPECT_EQ(*waits, std::byte{1}) << "no page was cleared for it";
        EXPECT_EQ(pages.allocate(unit), lower);
        std::byte* const second = bytes_at(pages.allocate(bytes));
        EXPECT_NE(second, lower);
        EXPECT_LT(second, between + 8_MiB) << "the lowest place, where nothing waits whole";
        for (std::byte* p : {lower, between, above})
            pages.release(p, unit);
        pages.release(waits, bytes);
        pages.release(second, bytes);
        pages.trim();
    }
}

TEST(page_resource, what_waits_whole_is_lent_as_it_is_to_those_who_will_fill_it) {
    page_resource pages{slowly()};
    std::byte* const first = touched(pages, 2_MiB); // from 1 MiB on there are windows
    for (const std::size_t bytes : {std::size_t{1_MiB}, std::size_t{3_MiB}}) {
        std::byte* const p = touched(pages, bytes);
        pages.deallocate(p, bytes);
        const lent_memory lent = pages.lend(bytes, 16, page_use::dense);
        EXPECT_EQ(lent.p, p);
        EXPECT_FALSE(lent.is_zero);
        EXPECT_EQ(p[0], std::byte{1}) << "no page was cleared for it";
        EXPECT_EQ(p[bytes - 1], std::byte{1});
        pages.release(p, bytes);
    }
    pages.deallocate(first, 2_MiB);
}

} // namespace
