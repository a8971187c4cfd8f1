// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/check/poison.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/core/concepts.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/core/upstream.hpp>
#include <arenite/os/page_resource.hpp>
#include <arenite/os/platform.hpp>

#include "support/limits.hpp"
#include "support/mappings.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory_resource>
#include <ostream>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace arenite;
using os::platform;

static_assert(Allocating<page_resource>);
static_assert(Owning<page_resource>);
static_assert(Trimmable<page_resource>);
static_assert(Measurable<page_resource>);
static_assert(Purging<page_resource>);
static_assert(Releasing<page_resource>);

namespace {

constexpr std::size_t unit = page_resource::unit_bytes;

/// Small ranges: quick to make, also where an emulator counts every page of them.
constexpr page_options small{.reserve_bytes = 64_MiB};

std::byte* bytes_at(void* p) { return static_cast<std::byte*>(p); }

/// Page-rounded bytes, as they are counted.
std::size_t in_pages(std::size_t bytes) { return align_up(bytes, platform::page_bytes()); }

TEST(page_resource, fresh_requests_get_ascending_addresses) {
    page_resource pages{small};
    std::vector<std::pair<void*, std::size_t>> live;
    for (std::size_t bytes : {64_KiB, 1_B, 100_KiB, 64_KiB, 1_MiB, 64_KiB}) {
        void* p = pages.allocate(bytes);
        if (!live.empty()) {
            EXPECT_EQ(p, bytes_at(live.back().first) + align_up(live.back().second, unit));
        }
        live.emplace_back(p, bytes);
    }
    for (auto [p, bytes] : live)
        pages.deallocate(p, bytes);
}

TEST(page_resource, the_lowest_hole_that_fits_is_filled_first) {
    page_resource pages{small};
    std::array<void*, 10> p{};
    for (void*& each : p)
        each = pages.allocate(unit);
    for (std::size_t i : {8u, 2u, 5u, 4u})
        pages.deallocate(p[i], unit);
    EXPECT_EQ(pages.allocate(2 * unit), p[4]); // 4 and 5 have merged
    EXPECT_EQ(pages.allocate(unit), p[2]);
    EXPECT_EQ(pages.allocate(unit), p[8]);
    EXPECT_EQ(pages.allocate(unit), bytes_at(p[9]) + unit);
}

TEST(page_resource, a_hole_that_grows_downward_is_found_again) {
    page_resource pages{small};
    std::array<void*, 12> p{};
    for (void*& each : p)
        each = pages.allocate(unit);
    void* const behind = pages.allocate(4 * unit); // searched in vain below this
    for (std::size_t i : {6u, 5u, 4u, 3u})
        pages.deallocate(p[i], unit);
    EXPECT_EQ(pages.allocate(4 * unit), p[3]);
    EXPECT_EQ(pages.allocate(4 * unit), bytes_at(behind) + 4 * unit);
}

TEST(page_resource, every_alignment_is_honoured) {
    page_resource pages{page_options{.reserve_bytes = 8_GiB}};
    std::vector<std::pair<void*, std::size_t>> live;
    for (std::size_t alignment = 1; alignment <= 4_GiB; alignment *= 2) {
        void* p = pages.allocate(3 * unit, alignment);
        EXPECT_TRUE(is_aligned(p, alignment)) << alignment;
        EXPECT_TRUE(is_aligned(p, unit)) << alignment;
        std::memset(p, 1, 3 * unit);
        live.emplace_back(p, alignment);
    }
    for (auto [p, alignment] : live)
        pages.deallocate(p, 3 * unit, alignment);
    EXPECT_EQ(pages.usage().bytes_in_use, 0u);
}

TEST(page_resource, an_alignment_beyond_the_first_range_gets_a_range_of_its_own) {
    page_resource pages{page_options{.reserve_bytes = 1_MiB}};
    void* p = pages.allocate(unit, 8_GiB);
    EXPECT_TRUE(is_aligned(p, 8_GiB));
    pages.deallocate(p, unit, 8_GiB);
}

TEST(page_resource, requests_of_a_huge_page_are_aligned_to_it) {
    const std::size_t huge = platform::huge_page_bytes();
    if (huge == 0 || huge > 64_MiB)
        GTEST_SKIP() << "no huge pages of a usual size";
    page_resource pages{small};
    void* first = pages.allocate(unit);
    void* a = pages.allocate(huge);
    void* b = pages.allocate(huge + unit);
    void* c = pages.allocate(huge - 1); // in pages it is as large, and so aligned as well
    EXPECT_TRUE(is_aligned(a, huge));
    EXPECT_TRUE(is_aligned(b, huge));
    EXPECT_GT(a, first);
    EXPECT_GT(b, a);
    EXPECT_TRUE(is_aligned(c, huge));
    EXPECT_GT(c, b);
    EXPECT_EQ(pages.allocate(unit), bytes_at(first) + unit) << "the gap before a is used";
    EXPECT_EQ(pages.allocate(huge - unit), bytes_at(b) + huge + unit) << "less is not aligned";
}

TEST(page_resource, zero_bytes_count_as_one) {
    page_resource pages{small};
    void* a = pages.allocate(0);
    void* b = pages.allocate(0);
    EXPECT_NE(a, b);
    *bytes_at(a) = std::byte{1};
    EXPECT_EQ(pages.usage().bytes_in_use, 2 * platform::page_bytes());
    pages.deallocate(a, 0);
    pages.deallocate(b, 1);
    EXPECT_EQ(pages.usage().bytes_in_use, 0u);
}

TEST(page_resource, what_cannot_be_is_refused_and_changes_nothing) {
    page_resource pages{small};
    void* p = pages.allocate(unit);
    const usage before = pages.usage();
    constexpr std::size_t all = ~std::size_t{0};
    for (std::size_t bytes : {all, all - 1, all - unit, all / 2, all / 2 + 1, std::size_t{1} << 60,
                              std::size_t{1} << 48}) {
        EXPECT_EQ(pages.try_allocate(bytes), nullptr) << bytes;
        EXPECT_EQ(pages.try_allocate(bytes, 1_GiB), nullptr) << bytes;
#if ARENITE_EXCEPTIONS
        EXPECT_THROW(static_cast<void>(pages.allocate(bytes)), out_of_memory) << bytes;
#endif
    }
    for (std::size_t shift = 48; shift < 64; ++shift)
        EXPECT_EQ(pages.try_allocate(1, std::size_t{1} << shift), nullptr) << shift;
    if constexpr (!checks_enabled) {
        EXPECT_EQ(pages.try_allocate(1, 0), nullptr);
        EXPECT_EQ(pages.try_allocate(1, 3), nullptr);
        EXPECT_EQ(pages.try_allocate(1, all), nullptr);
    }
    EXPECT_EQ(pages.usage(), before);
    pages.deallocate(p, unit);
}

TEST(page_resource, nothing_is_reserved_before_the_first_request) {
    const page_resource pages;
    EXPECT_EQ(pages.usage(), usage{});
    int here = 0;
    EXPECT_FALSE(pages.owns(&here));
    EXPECT_FALSE(pages.owns(nullptr));
}

TEST(page_resource, a_request_takes_memory_only_for_the_pages_it_touches) {
    const std::size_t page = platform::page_bytes();
    if (page == unit)
        GTEST_SKIP() << "a page is a unit here";
    page_resource pages{small};
    std::byte* p = bytes_at(pages.allocate(page + 1));
    std::memset(p, 1, 2 * page);
    EXPECT_EQ(platform::resident_bytes(p, unit), 2 * page);
    pages.deallocate(p, page + 1);
}

// ---- back to the system, sooner or later --------------------------------------------------------

std::uint64_t the_time = 0; // of the resources below

/// Small ranges, and a clock that goes when it is told.
page_options slowly(std::uint32_t delay_ms = 1000) {
    the_time = 5000;
    page_options options = small;
    options.delay_ms = delay_ms;
    options.now_ms = []() noexcept { return the_time; };
    return options;
}

/// Memory handed out and touched.
std::byte* touched(page_resource& pages, std::size_t bytes) {
    std::byte* p = bytes_at(pages.allocate(bytes));
    std::memset(p, 1, bytes);
    return p;
}

TEST(page_resource, without_a_delay_memory_that_comes_back_leaves_the_process_at_once) {
    page_resource pages{slowly(0)};
    for (std::size_t bytes : {std::size_t{1}, unit, 3 * unit + 1, std::size_t{4_MiB}}) {
        std::byte* p = touched(pages, bytes);
        EXPECT_GE(platform::resident_bytes(p, in_pages(bytes)), in_pages(bytes));
        pages.deallocate(p, bytes);
        EXPECT_EQ(platform::resident_bytes(p, in_pages(bytes)), 0u);
        EXPECT_EQ(pages.allocate(bytes), p);
        EXPECT_EQ(*p, std::byte{0});
        pages.deallocate(p, bytes);
    }
}

TEST(page_resource, memory_that_comes_back_waits_with_its_addresses) {
    page_resource pages{slowly()};
    for (std::size_t bytes : {std::size_t{1}, unit, 3 * unit + 1, std::size_t{4_MiB}}) {
        std::byte* p = touched(pages, bytes);
        pages.deallocate(p, bytes);
        EXPECT_EQ(platform::resident_bytes(p, in_pages(bytes)), in_pages(bytes));
        EXPECT_EQ(pages.allocate(bytes), p);
        EXPECT_EQ(*p, std::byte{1}) << "no page was cleared for it";
        pages.deallocate(p, bytes);
    }
}

TEST(page_resource, what_has_waited_long_enough_goes_at_the_next_call_of_anybody) {
    page_resource pages{slowly()};
    std::byte* a = touched(pages, unit);
    std::byte* b = touched(pages, 2 * unit);
    std::byte* stays = touched(pages, unit);
    pages.deallocate(b, 2 * unit);
    the_time += 999;
    pages.purge_due();
    EXPECT_EQ(platform::resident_bytes(b, 2 * unit), 2 * unit);
    the_time += 1;
    pages.purge_due();
    EXPECT_EQ(platform::resident_bytes(b, 2 * unit), 0u);
    pages.deallocate(a, unit);
    the_time += 1000;
    pages.deallocate(pages.allocate(4 * unit), 4 * unit); // other addresses
    EXPECT_EQ(platform::resident_bytes(a, unit), 0u);
    EXPECT_EQ(platform::resident_bytes(stays, unit), unit);
    pages.deallocate(stays, unit);
}

TEST(page_resource, nothing_goes_before_its_time_whatever_waits_beside_it) {
    page_resource pages{slowly()};
    std::byte* a = touched(pages, unit);
    std::byte* b = touched(pages, unit);
    pages.deallocate(a, unit);
    the_time += 400;
    pages.deallocate(b, unit);
    the_time += 999;
    pages.purge_due();
    EXPECT_EQ(platform::resident_bytes(b, unit), unit);
    the_time += 1;
    pages.purge_due();
    EXPECT_EQ(platform::resident_bytes(a, 2 * unit), 0u);
}

TEST(page_resource, what_is_used_again_and_again_never_goes) {
    page_resource pages{slowly()};
    for (int i = 0; i < 100; ++i) {
        std::byte* p = bytes_at(pages.allocate(10 * unit));
        if (i > 0) {
            EXPECT_EQ(*p, std::byte{1});
        }
        std::memset(p, 1, 10 * unit);
        pages.deallocate(p, 10 * unit);
        the_time += 300;
        pages.purge_due();
    }
}

TEST(page_resource, while_much_goes_on_nothing_waits_for_more_than_two_delays) {
    page_resource pages{slowly()};
    std::byte* always = touched(pages, unit);
    std::byte* once = touched(pages, unit);
    pages.deallocate(once, unit);
    for (std::uint64_t end = the_time + 2000; the_time < end; the_time += 10) {
        pages.deallocate(always, unit);
        EXPECT_EQ(pages.allocate(unit), always);
    }
    EXPECT_EQ(platform::resident_bytes(once, unit), 0u);
    EXPECT_EQ(platform::resident_bytes(always, unit), unit);
    pages.deallocate(always, unit);
}

TEST(page_resource, a_call_gives_only_so_much_of_what_is_due) {
    page_options options = slowly();
    options.huge = huge_pages::never;
    page_resource pages{options};
    std::byte* p = touched(pages, 8_MiB);
    pages.deallocate(p, 8_MiB);
    the_time += 1000;
    for (std::size_t left = 8_MiB; left != 0; left -= 2_MiB) {
        EXPECT_EQ(platform::resident_bytes(p, 8_MiB), left) << "the highest goes first";
        pages.purge_due();
    }
    EXPECT_EQ(platform::resident_bytes(p, 8_MiB), 0u);
}

TEST(page_resource, only_so_much_waits_and_the_oldest_goes_for_it) {
    page_options options = slowly();
    options.most_waiting_bytes = 4 * unit;
    page_resource pages{options};
    std::array<std::byte*, 8> p{};
    for (std::byte*& each : p)
        each = touched(pages, unit);
    pages.deallocate(p[5], unit);
    the_time += 500; // it is the old generation from now on
    pages.purge_due();
    for (std::size_t i : {1u, 2u, 3u})
        pages.deallocate(p[i], unit);
    EXPECT_EQ(platform::resident_bytes(p[0], 8 * unit), 8 * unit);
    pages.deallocate(p[7], unit);
    EXPECT_EQ(platform::resident_bytes(p[5], unit), 0u);
    EXPECT_EQ(platform::resident_bytes(p[0], 8 * unit), 7 * unit);
    for (std::size_t i : {0u, 4u, 6u})
        pages.deallocate(p[i], unit);
    EXPECT_EQ(platform::resident_bytes(p[0], 8 * unit), 4 * unit);
}

TEST(page_resource, a_quarter_of_the_most_that_was_in_use_may_wait) {
    page_options options = slowly();
    options.most_waiting_bytes = 0;
    page_resource pages{options};
    std::byte* p = touched(pages, 16 * unit);
    pages.deallocate(p, 16 * unit);
    EXPECT_EQ(platform::resident_bytes(p, 16 * unit), 4 * unit);
    EXPECT_EQ(platform::resident_bytes(p, 4 * unit), 4 * unit) << "the highest goes first";
}

TEST(page_resource, what_waits_fills_up_what_was_in_use_at_most) {
    page_resource pages{slowly()};
    std::byte* const low = touched(pages, 8 * unit);
    std::byte* const high = touched(pages, 8 * unit);
    pages.deallocate(low, 8 * unit);
    std::byte* const above = touched(pages, 12 * unit); // 20 units at most: 4 of 8 wait already
    pages.deallocate(high, 8 * unit);
    pages.deallocate(above, 12 * unit);
    EXPECT_LE(platform::resident_bytes(low, 28 * unit), 20 * unit);
}

TEST(page_resource, released_memory_leaves_at_once_and_trim_gives_all_that_waits) {
    page_resource pages{slowly()};
    std::byte* a = touched(pages, 3 * unit);
    std::byte* b = touched(pages, 3_MiB);
    std::byte* c = touched(pages, unit);
    pages.release(a, 3 * unit);
    EXPECT_EQ(platform::resident_bytes(a, 3 * unit), 0u);
    pages.deallocate(b, 3_MiB);
    pages.deallocate(c, unit);
    EXPECT_EQ(platform::resident_bytes(b, 3_MiB), 3_MiB);
    pages.trim();
    EXPECT_EQ(platform::resident_bytes(b, 3_MiB), 0u);
    EXPECT_EQ(platform::resident_bytes(c, unit), 0u);
    EXPECT_EQ(pages.allocate(3 * unit), a);
    pages.deallocate(a, 3 * unit);
}

TEST(page_resource, what_waits_counts_as_reserved) {
    page_resource pages{slowly()};
    std::byte* a = touched(pages, unit);
    std::byte* b = touched(pages, 5 * unit);
    const usage before = pages.usage();
    pages.deallocate(b, 5 * unit);
    EXPECT_EQ(pages.usage().bytes_reserved, before.bytes_reserved);
    EXPECT_EQ(pages.usage().bytes_in_use, before.bytes_in_use - 5 * unit);
    EXPECT_EQ(pages.allocate(2 * unit), b); // two of the five
    EXPECT_EQ(pages.usage().bytes_reserved, before.bytes_reserved);
    pages.deallocate(b, 2 * unit);
    pages.trim();
    EXPECT_EQ(pages.usage().bytes_reserved, before.bytes_reserved - 5 * unit);
    pages.deallocate(a, unit);
}

TEST(page_resource, the_lowest_addresses_are_handed_out_also_where_higher_ones_wait) {
    page_resource pages{slowly()};
    std::array<std::byte*, 4> p{};
    for (std::byte*& each : p)
        each = touched(pages, unit);
    pages.release(p[0], unit);
    pages.deallocate(p[2], unit);
    EXPECT_EQ(pages.allocate(unit), p[0]);
    EXPECT_EQ(pages.allocate(unit), p[2]);
    EXPECT_EQ(*p[2], std::byte{1});
}

TEST(page_resource, memory_of_huge_pages_waits_and_goes_without_their_advice) {
    const std::size_t huge = platform::huge_page_bytes();
    if (huge == 0 || huge > 16_MiB)
        GTEST_SKIP() << "no huge pages of a usual size";
    page_resource pages{slowly()};
    std::byte* p = touched(pages, huge);
    if (support::emulated() || support::mapping_flags(p).empty())
        GTEST_SKIP() << "this system does not tell the advice it was given";
    pages.deallocate(p, huge);
    EXPECT_EQ(pages.allocate(huge), p);
    EXPECT_EQ(*p, std::byte{1});
    pages.deallocate(p, huge);
    the_time += 1000;
    pages.purge_due();
    EXPECT_EQ(platform::resident_bytes(p, huge), 0u);
    EXPECT_EQ(support::mapping_flags(p).find(" hg "), std::string::npos);
    // A small request in the midst of what waits keeps its memory, and nothing beside it.
    p = touched(pages, huge);
    EXPECT_NE(support::mapping_flags(p).find(" hg "), std::string::npos);
    pages.deallocate(p, huge);
    EXPECT_EQ(pages.allocate(unit), p);
    EXPECT_EQ(*p, std::byte{1});
    the_time += 1000;
    pages.purge_due();
    EXPECT_EQ(platform::resident_bytes(p, huge), unit);
    EXPECT_EQ(support::mapping_flags(p + unit).find(" hg "), std::string::npos);
    pages.release(p, unit);
    EXPECT_EQ(platform::resident_bytes(p, huge), 0u);
    EXPECT_EQ(support::mapping_flags(p).find(" hg "), std::string::npos);
}

TEST(page_resource, a_range_that_ends_takes_what_waits_in_it_along) {
    page_options options = slowly();
    options.reserve_bytes = 1_MiB;
    page_resource pages{options};
    std::byte* first = touched(pages, unit);
    std::byte* other = touched(pages, 20_MiB); // a range of its own
    pages.deallocate(other, 20_MiB);
    pages.deallocate(first, unit);
    pages.trim();
    EXPECT_FALSE(pages.owns(other));
    EXPECT_LT(pages.usage().bytes_reserved, unit);
    the_time += 5000;
    pages.purge_due();
    EXPECT_EQ(pages.allocate(unit), first);
    pages.deallocate(first, unit);
}

TEST(page_resource, purged_memory_is_gone_and_stays_usable) {
    const std::size_t page = platform::page_bytes();
    page_resource pages{small};
    std::byte* p = bytes_at(pages.allocate(8 * page));
    std::memset(p, 1, 8 * page);
    pages.purge(p + 1, 3 * page); // of the pages it touches, two are whole
    EXPECT_EQ(platform::resident_bytes(p, 8 * page), 6 * page);
    EXPECT_EQ(p[0], std::byte{1});
    EXPECT_EQ(p[3 * page], std::byte{1});
    std::memset(p, 2, 8 * page);
    pages.purge(p + 1, page); // none
    pages.purge(p, 0);
    pages.purge(p + page - 1, page);
    EXPECT_EQ(platform::resident_bytes(p, 8 * page), 8 * page);
    pages.purge(p, 8 * page);
    EXPECT_EQ(platform::resident_bytes(p, 8 * page), 0u);
    EXPECT_EQ(pages.usage().bytes_in_use, 8 * page);
    pages.deallocate(p, 8 * page);
}

TEST(page_resource, an_upstream_knows_that_it_can_purge) {
    page_resource pages{small};
    EXPECT_TRUE(upstream{&pages}.purges());
}

TEST(page_resource, usage_is_exact_in_pages) {
    page_resource pages{small};
    void* a = pages.allocate(1);
    void* b = pages.allocate(unit + 1);
    usage u = pages.usage();
    const std::size_t expected = platform::page_bytes() + in_pages(unit + 1);
    EXPECT_EQ(u.bytes_in_use, expected);
    EXPECT_EQ(u.high_water_bytes, expected);
    EXPECT_EQ(u.live_allocations, 2u);
    EXPECT_GT(u.bytes_reserved, expected);
    EXPECT_LE(u.bytes_reserved,
              expected + 5 * std::max<std::size_t>(platform::page_bytes(), 4_KiB));
    pages.deallocate(b, unit + 1);
    pages.deallocate(a, 1);
    u = pages.usage();
    EXPECT_EQ(u.bytes_in_use, 0u);
    EXPECT_EQ(u.high_water_bytes, expected);
    EXPECT_EQ(u.live_allocations, 0u);
}

TEST(page_resource, a_start_costs_a_few_pages) {
    const std::size_t page = platform::page_bytes();
    page_resource pages; // the default range, of which little is touched
    void* p = pages.allocate(page);
    EXPECT_LE(pages.usage().bytes_reserved, 7 * page);
    pages.deallocate(p, page);
}

TEST(page_resource, owns_its_own_memory_and_no_other) {
    page_resource pages{small};
    page_resource other{small};
    std::byte* a = bytes_at(pages.allocate(1));
    std::byte* b = bytes_at(other.allocate(1));
    EXPECT_TRUE(pages.owns(a));
    EXPECT_TRUE(pages.owns(a + unit - 1));
    EXPECT_FALSE(pages.owns(b));
    EXPECT_FALSE(pages.owns(&a));
    EXPECT_FALSE(pages.owns(nullptr));
    pages.deallocate(a, 1);
    other.deallocate(b, 1);
}

TEST(page_resource, an_exhausted_range_is_followed_by_further_ones) {
    page_resource pages{page_options{.reserve_bytes = 1_MiB}};
    std::vector<void*> live;
    for (int i = 0; i < 200; ++i) {
        live.push_back(pages.allocate(unit));
        std::memset(live.back(), 1, unit);
        EXPECT_TRUE(pages.owns(live.back()));
    }
    std::vector<void*> distinct = live;
    std::sort(distinct.begin(), distinct.end());
    EXPECT_EQ(std::adjacent_find(distinct.begin(), distinct.end()), distinct.end());
    // The first range is served first again, also while others exist.
    pages.deallocate(live[3], unit);
    EXPECT_EQ(pages.allocate(unit), live[3]);
    int here = 0;
    EXPECT_FALSE(pages.owns(&here));
    for (void* p : live)
        pages.deallocate(p, unit);
    EXPECT_EQ(pages.usage().bytes_in_use, 0u);
}

TEST(page_resource, trim_ends_the_ranges_that_hold_nothing) {
    page_resource pages{page_options{.reserve_bytes = 1_MiB}};
    void* small_one = pages.allocate(unit);
    void* large = pages.allocate(64_MiB); // its own range
    void* middle = pages.allocate(15 * unit);
    EXPECT_TRUE(pages.owns(large));
    pages.trim();
    EXPECT_TRUE(pages.owns(large)) << "what is in use stays";
    std::memset(large, 1, 64_MiB);
    pages.deallocate(large, 64_MiB);
    EXPECT_TRUE(support::mapped(large) || support::emulated());
    pages.trim();
    EXPECT_FALSE(support::mapped(large));
    EXPECT_FALSE(pages.owns(large));
    EXPECT_TRUE(pages.owns(small_one));
    pages.deallocate(middle, 15 * unit);
    pages.deallocate(small_one, unit);
    pages.trim();
    EXPECT_TRUE(pages.owns(small_one)) << "the first range stays";
    EXPECT_EQ(pages.allocate(unit), small_one);
    pages.deallocate(small_one, unit);
}

TEST(page_resource, a_request_larger_than_the_range_is_served) {
    page_resource pages{page_options{.reserve_bytes = 1_MiB}};
    void* p = pages.allocate(3_GiB);
    *bytes_at(p) = bytes_at(p)[3_GiB - 1] = std::byte{1};
    EXPECT_EQ(pages.usage().bytes_in_use, 3_GiB);
    pages.deallocate(p, 3_GiB);
}

TEST(page_resource, destruction_gives_everything_back_whatever_is_live) {
    void* a = nullptr;
    void* b = nullptr;
    {
        page_resource pages{page_options{.reserve_bytes = 1_MiB}};
        a = pages.allocate(unit);
        b = pages.allocate(32_MiB);
        EXPECT_TRUE(support::mapped(a));
        EXPECT_TRUE(support::mapped(b));
    }
    EXPECT_FALSE(support::mapped(a));
    EXPECT_FALSE(support::mapped(b));
}

TEST(page_resource, neighbours_are_one_mapping) {
    page_resource pages;
    pages.deallocate(pages.allocate(unit), unit);
    std::vector<void*> live;
    live.reserve(1000);
    const std::size_t before = support::mapping_count();
    for (int i = 0; i < 1000; ++i)
        live.push_back(pages.allocate(2_MiB));
    EXPECT_LE(support::mapping_count(), before + 10);
    for (void* p : live)
        pages.deallocate(p, 2_MiB);
    EXPECT_LE(support::mapping_count(), before + 10);
}

TEST(page_resource, neither_odd_sizes_nor_gaps_make_mappings) {
    page_resource pages{page_options{.reserve_bytes = 64_GiB}};
    constexpr std::size_t count = 100'000; // more than there may be mappings
    std::vector<std::pair<void*, std::size_t>> live;
    live.reserve(2 * count);
    pages.deallocate(pages.allocate(1), 1);
    const std::size_t before = support::mapping_count();
    for (std::size_t i = 0; i < count; ++i) {
        live.emplace_back(pages.allocate(1), 1);
        live.emplace_back(pages.allocate(41'000, 256_KiB), 41'000);
    }
    EXPECT_LE(support::mapping_count(), before + 10);
    EXPECT_EQ(pages.usage().bytes_in_use, count * (in_pages(1) + in_pages(41'000)));
    for (auto [p, bytes] : live)
        pages.deallocate(p, bytes);
    EXPECT_EQ(pages.usage().bytes_in_use, 0u);
}

TEST(page_resource, prefault_makes_memory_resident_before_it_is_handed_out) {
    if (support::emulated())
        GTEST_SKIP() << "an emulator ignores advice";
    page_resource pages{page_options{.reserve_bytes = 64_MiB, .prefault = true}};
    for (std::size_t bytes : {std::size_t{1}, 5 * unit, 4_MiB}) {
        void* p = pages.allocate(bytes);
        EXPECT_EQ(platform::resident_bytes(p, in_pages(bytes)), in_pages(bytes));
        pages.deallocate(p, bytes);
    }
}

TEST(page_resource, huge_pages_are_advised_as_the_option_says) {
    const std::size_t huge = platform::huge_page_bytes();
    if (huge == 0 || huge > 64_MiB)
        GTEST_SKIP() << "no huge pages of a usual size";
    {
        page_resource pages{small};
        void* p = pages.allocate(unit);
        if (support::emulated() || support::mapping_flags(p).empty())
            GTEST_SKIP() << "this system does not tell the advice it was given";
    }
    struct {
        huge_pages option;
        const char* small_flag;
        const char* large_flag;
    } constexpr cases[] = {{huge_pages::automatic, "", " hg "},
                           {huge_pages::never, " nh ", " nh "},
                           {huge_pages::always, " hg ", " hg "}};
    for (const auto& c : cases) {
        page_resource pages{page_options{.reserve_bytes = 64_MiB, .huge = c.option, .delay_ms = 0}};
        void* few = pages.allocate(unit);
        void* many = pages.allocate(huge + unit);
        const std::string few_flags = support::mapping_flags(few);
        const std::string many_flags = support::mapping_flags(many);
        EXPECT_NE(few_flags.find(c.small_flag), std::string::npos) << few_flags;
        EXPECT_NE(many_flags.find(c.large_flag), std::string::npos) << many_flags;
        if (c.option == huge_pages::automatic) {
            EXPECT_EQ(few_flags.find(" hg "), std::string::npos);
            EXPECT_EQ(few_flags.find(" nh "), std::string::npos);
        }
        // The advice goes with the memory.
        pages.deallocate(many, huge + unit);
        if (c.option == huge_pages::automatic) {
            void* again = pages.allocate(huge - platform::page_bytes(), huge);
            EXPECT_EQ(again, many);
            EXPECT_EQ(support::mapping_flags(again).find(" hg "), std::string::npos);
        }
    }
}

TEST(page_resource, errno_is_left_alone) {
    page_resource pages{small};
    errno = 4711;
    EXPECT_EQ(pages.try_allocate(std::size_t{1} << 48), nullptr);
    pages.deallocate(pages.allocate(4_MiB), 4_MiB);
    pages.trim();
    EXPECT_EQ(errno, 4711);
}

TEST(page_resource, containers_of_the_standard_library_can_stand_on_it) {
    page_resource pages{small};
    {
        std::pmr::vector<int> v{&pages};
        for (int i = 0; i < 100'000; ++i)
            v.push_back(i);
        EXPECT_EQ(v[99'999], 99'999);
    }
    EXPECT_EQ(pages.usage().live_allocations, 0u);
}

// ---- against a model -------------------------------------------------------------------------

/// What is taken, unit by unit, and the lowest place for a request; nothing clever.
class unit_model {
public:
    explicit unit_model(std::size_t units) : taken_(units, false) {}

    [[nodiscard]] std::size_t lowest(std::size_t n, std::size_t alignment) const {
        for (std::size_t i = 0; i + n <= taken_.size(); i += alignment) {
            if (std::none_of(taken_.begin() + static_cast<std::ptrdiff_t>(i),
                             taken_.begin() + static_cast<std::ptrdiff_t>(i + n),
                             [](bool b) { return b; }))
                return i;
        }
        return taken_.size();
    }
    void set(std::size_t i, std::size_t n, bool value) {
        std::fill_n(taken_.begin() + static_cast<std::ptrdiff_t>(i), n, value);
    }

private:
    std::vector<bool> taken_;
};

TEST(page_resource, random_requests_always_get_the_lowest_place_that_fits) {
    const std::uint64_t seed = std::random_device{}();
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random{seed};
    const std::size_t huge = platform::huge_page_bytes();

    page_options options = slowly(7); // of its calls: all of what waits is in some state
    options.reserve_bytes = 128_MiB;
    options.most_waiting_bytes = 16_MiB;
    options.now_ms = []() noexcept { return the_time++; };
    page_resource pages{options};
    std::byte* const base = bytes_at(pages.allocate(1)); // the lowest unit of the range
    ASSERT_TRUE(is_aligned(base, 4_MiB));
    unit_model model{128_MiB / unit};
    model.set(0, 1, true);

    struct allocation {
        std::byte* p;
        std::size_t bytes;
        std::size_t alignment;
        std::byte mark;
    };
    std::vector<allocation> live;
    constexpr std::array<std::size_t, 8> usual{1,       64_KiB, 128_KiB, 192_KiB,
                                               512_KiB, 1_MiB,  2_MiB,   7_MiB};
    for (int step = 0; step < 4000; ++step) {
        if (live.empty() || random() % 100 < (step / 500 % 2 == 0 ? 60 : 40)) {
            std::size_t bytes = usual[random() % usual.size()];
            if (random() % 4 == 0)
                bytes = 1 + random() % 9_MiB;
            const std::size_t alignment =
                random() % 3 == 0 ? std::size_t{1} << (random() % 23) : default_alignment;
            std::size_t needed = std::max(alignment, unit);
            if (huge != 0 && in_pages(bytes) >= huge)
                needed = std::max(needed, huge);
            const std::size_t units = align_up(bytes, unit) / unit;
            const std::size_t expected = model.lowest(units, needed / unit);
            if (expected == 128_MiB / unit)
                continue; // would go to a further range
            std::byte* p = bytes_at(pages.try_allocate(bytes, alignment));
            ASSERT_EQ(p, base + expected * unit) << bytes << " aligned " << alignment;
            model.set(expected, units, true);
            const auto mark = static_cast<std::byte>(random() % 255 + 1);
            p[0] = p[bytes - 1] = mark;
            live.push_back({p, bytes, alignment, mark});
        } else {
            std::swap(live[random() % live.size()], live.back());
            const allocation a = live.back();
            live.pop_back();
            ASSERT_EQ(a.p[0], a.mark);
            ASSERT_EQ(a.p[a.bytes - 1], a.mark);
            pages.deallocate(a.p, a.bytes, a.alignment);
            model.set(static_cast<std::size_t>(a.p - base) / unit, align_up(a.bytes, unit) / unit,
                      false);
        }
    }
    std::size_t expected_in_use = platform::page_bytes();
    for (const allocation& a : live)
        expected_in_use += in_pages(a.bytes);
    EXPECT_EQ(pages.usage().bytes_in_use, expected_in_use);
    EXPECT_EQ(pages.usage().live_allocations, live.size() + 1);
}

// ---- threads -----------------------------------------------------------------------------------

TEST(page_resource_threads, use_one_resource_without_meeting) {
    page_options options{.reserve_bytes = 4_MiB, .delay_ms = 3, .most_waiting_bytes = 2_MiB};
    options.now_ms = []() noexcept {
        static constinit std::atomic<std::uint64_t> ticks{0};
        return ticks.fetch_add(1, std::memory_order_relaxed);
    };
    page_resource pages{options};
    constexpr int threads = 4;
    constexpr int rounds = 300;
    std::vector<std::thread> all;
    all.reserve(threads);
    std::atomic<int> broken{0};
    for (int t = 0; t < threads; ++t) {
        all.emplace_back([&, t] {
            std::minstd_rand random{static_cast<unsigned>(t + 1)};
            std::vector<std::pair<std::byte*, std::size_t>> live;
            for (int i = 0; i < rounds; ++i) {
                if (live.empty() || random() % 2 == 0) {
                    const std::size_t bytes = 1 + random() % (4 * unit);
                    auto* p = bytes_at(pages.try_allocate(bytes));
                    if (p == nullptr || !pages.owns(p)) {
                        ++broken;
                        continue;
                    }
                    p[0] = p[bytes - 1] = static_cast<std::byte>(t + 1);
                    live.emplace_back(p, bytes);
                } else {
                    const auto [p, bytes] = live.back();
                    live.pop_back();
                    if (p[0] != static_cast<std::byte>(t + 1) ||
                        p[bytes - 1] != static_cast<std::byte>(t + 1))
                        ++broken;
                    pages.deallocate(p, bytes);
                }
                const usage u = pages.usage();
                if (u.bytes_in_use > u.high_water_bytes || u.bytes_in_use > u.bytes_reserved)
                    ++broken;
                if (i % 50 == 0)
                    pages.trim();
            }
            for (const auto& [p, bytes] : live)
                pages.deallocate(p, bytes);
        });
    }
    for (std::thread& t : all)
        t.join();
    EXPECT_EQ(broken.load(), 0);
    EXPECT_EQ(pages.usage().bytes_in_use, 0u);
    EXPECT_EQ(pages.usage().live_allocations, 0u);
}

#if LIMITS_CAN_BE_TESTED
TEST(page_source_threads, what_goes_back_while_the_process_forks_is_not_lost_to_the_child) {
    page_source().trim();
    const std::size_t live = page_source().usage().live_allocations;
    void* const lowest = page_source().allocate(8_MiB);
    page_source().release(lowest, 8_MiB);
    std::atomic<bool> end{false};
    std::thread busy{[&] {
        while (!end) {
            std::byte* p = bytes_at(page_source().allocate(8_MiB));
            for (std::size_t i = 0; i < 8_MiB; i += 4096)
                p[i] = std::byte{1};
            page_source().release(p, 8_MiB);
        }
    }};
    for (int i = 0; i < 50; ++i) {
        const pid_t child = ::fork();
        if (child == 0) {
            const bool in_use = page_source().usage().live_allocations != live;
            void* const p = page_source().try_allocate(8_MiB);
            ::_exit(in_use || p == lowest ? 0 : 1);
        }
        int status = -1;
        ::waitpid(child, &status, 0);
        EXPECT_EQ(status, 0);
    }
    end = true;
    busy.join();
}
#endif

// ---- the process's own -------------------------------------------------------------------------

/// Alive before main and after it, as every static object of a program may be.
struct whole_life {
    whole_life() : p{static_cast<int*>(page_source().try_allocate(sizeof(int)))} {
        if (p != nullptr)
            *p = 42;
    }
    ~whole_life() {
        if (p == nullptr || *p != 42)
            std::abort();
        page_source().deallocate(p, sizeof(int));
        void* late = page_source().try_allocate(4_MiB);
        if (late == nullptr)
            std::abort();
        page_source().deallocate(late, 4_MiB);
    }
    whole_life(const whole_life&) = delete;
    whole_life& operator=(const whole_life&) = delete;

    int* p;
};
const whole_life from_before_main_to_after_it;

TEST(page_source, works_before_main) {
    ASSERT_NE(from_before_main_to_after_it.p, nullptr);
    EXPECT_EQ(*from_before_main_to_after_it.p, 42);
    EXPECT_TRUE(page_source().owns(from_before_main_to_after_it.p));
}

TEST(page_source, is_one_and_the_same) {
    EXPECT_EQ(&page_source(), &page_source());
    EXPECT_TRUE(page_source().is_equal(page_source()));
    page_resource other;
    EXPECT_FALSE(page_source().is_equal(other));
}

struct environment_case {
    const char* text;
    huge_pages expected;
    bool complains;

    // Its bytes would be an address, and padding.
    friend void PrintTo(const environment_case& c, std::ostream* out) {
        *out << '"' << c.text << '"';
    }
};
class page_source_death : public testing::TestWithParam<environment_case> {};

TEST_P(page_source_death, takes_its_huge_pages_from_the_environment) {
    if (support::emulated())
        GTEST_SKIP() << "a fresh process would run without the emulator";
    GTEST_FLAG_SET(death_test_style, "threadsafe"); // a fresh process, environment and all
    ::setenv("ARENITE_HUGE_PAGES", GetParam().text, 1);
    EXPECT_EXIT(
        {
            page_source().deallocate(page_source().allocate(1), 1);
            std::_Exit(page_source().options().huge == GetParam().expected ? 10 : 20);
        },
        testing::ExitedWithCode(10), GetParam().complains ? "ARENITE_HUGE_PAGES=nevr" : "");
    ::unsetenv("ARENITE_HUGE_PAGES");
}

INSTANTIATE_TEST_SUITE_P(words, page_source_death,
                         testing::Values(environment_case{"never", huge_pages::never, false},
                                         environment_case{"always", huge_pages::always, false},
                                         environment_case{"automatic", huge_pages::automatic,
                                                          false},
                                         environment_case{"", huge_pages::automatic, false},
                                         environment_case{"nevr", huge_pages::automatic, true}),
                         [](const auto& info) {
                             return info.param.text[0] == '\0' ? std::string{"nothing"}
                                                               : std::string{info.param.text};
                         });

// ---- misuse ------------------------------------------------------------------------------------

TEST(page_resource_death, giving_memory_back_twice_is_found) {
    page_resource pages{small};
    void* p = pages.allocate(unit);
    pages.deallocate(p, unit);
    EXPECT_DEATH(pages.deallocate(p, unit), "65536 bytes at 0x[0-9a-f]*.*freed twice");
}

TEST(page_resource_death, a_foreign_pointer_is_found) {
    page_resource pages{small};
    int here = 0;
    EXPECT_DEATH(pages.deallocate(&here, 4), "4 bytes at 0x[0-9a-f]*.*not of this resource");
    EXPECT_DEATH(pages.deallocate(nullptr, 4), "not of this resource");
    EXPECT_DEATH(pages.purge(&here, 4), "purged.*not of this resource");
}

TEST(page_resource_death, a_pointer_into_the_middle_is_found) {
    page_resource pages{small};
    std::byte* p = bytes_at(pages.allocate(2 * unit));
    EXPECT_DEATH(pages.deallocate(p + 16, 2 * unit), "no live allocation begins there");
    EXPECT_DEATH(pages.deallocate(p + unit, unit), "no live allocation begins there");
    pages.deallocate(p, 2 * unit);
}

TEST(page_resource_death, a_wrong_size_is_found) {
    page_resource pages{small};
    void* p = pages.allocate(2 * unit);
    EXPECT_DEATH(pages.deallocate(p, unit), "65536 bytes at 0x[0-9a-f]*.*pages of .* allocated");
    EXPECT_DEATH(pages.deallocate(p, 3 * unit), "pages of .* allocated");
    EXPECT_DEATH(pages.deallocate(p, ~std::size_t{0}), "pages of .* allocated");
    pages.deallocate(p, 2 * unit);
}

TEST(page_resource_death, an_alignment_that_is_none_is_found_in_checked_builds) {
    if constexpr (checks_enabled) {
        page_resource pages{small};
        EXPECT_DEATH(static_cast<void>(pages.try_allocate(1, 3)), "power of two");
        EXPECT_DEATH(static_cast<void>(pages.try_allocate(1, 0)), "power of two");
    }
}

// ---- limits of the system ----------------------------------------------------------------------

#if LIMITS_CAN_BE_TESTED
/// Does what `ulimit -v` does: the process may use so much more than it uses now.
void allow_address_space(std::size_t more) {
    const rlimit limit{support::address_space_in_use() + more,
                       support::address_space_in_use() + more};
    if (::setrlimit(RLIMIT_AS, &limit) != 0)
        std::_Exit(77);
}

#define EXPECT_IN_CHILD(condition)                                                                 \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            std::fprintf(stderr, "line %d: %s\n", __LINE__, #condition);                           \
            std::_Exit(1);                                                                         \
        }                                                                                          \
    } while (false)

[[noreturn]] void live_within(std::size_t bytes) {
    allow_address_space(bytes);
    page_resource pages;
    std::vector<void*> live;
    live.reserve(10'000);
    while (void* p = pages.try_allocate(unit)) {
        std::memset(p, 1, 64);
        live.push_back(p);
    }
    // Nothing is lost to the shrinking: nearly all of the address space was used in the end,
    // and half of what was left was always left to others.
    EXPECT_IN_CHILD(live.size() * unit >= bytes / 2);
    EXPECT_IN_CHILD(pages.usage().live_allocations == live.size());
    for (void* p : live)
        pages.deallocate(p, unit);
    EXPECT_IN_CHILD(pages.usage().bytes_in_use == 0);
    EXPECT_IN_CHILD(pages.try_allocate(unit) != nullptr);
    std::_Exit(0);
}

[[noreturn]] void leave_room_for_others() {
    allow_address_space(1_GiB);
    page_resource pages;
    EXPECT_IN_CHILD(pages.try_allocate(1) != nullptr);
    // What malloc and thread stacks need is still to be had.
    void* p = platform::reserve(600_MiB, platform::page_bytes());
    EXPECT_IN_CHILD(p != nullptr);
    std::_Exit(0);
}

[[noreturn]] void serve_one_large_request() {
    allow_address_space(1_GiB);
    page_resource pages;
    void* p = pages.try_allocate(900_MiB);
    EXPECT_IN_CHILD(p != nullptr);
    EXPECT_IN_CHILD(pages.try_allocate(900_MiB) == nullptr);
    EXPECT_IN_CHILD(pages.usage().live_allocations == 1);
    pages.deallocate(p, 900_MiB);
    EXPECT_IN_CHILD(pages.try_allocate(900_MiB) == p);
    std::_Exit(0);
}

[[noreturn]] void give_room_to_others_where_memory_is_counted() {
    rlimit limit{};
    ::getrlimit(RLIMIT_DATA, &limit);
    limit.rlim_cur = support::writable_bytes() + 300_MiB;
    if (::setrlimit(RLIMIT_DATA, &limit) != 0)
        std::_Exit(77);
    page_resource pages{page_options{.reserve_bytes = 1_GiB}};
    void* const other = platform::reserve(64_MiB, platform::page_bytes());
    std::vector<void*> live;
    live.reserve(10'000);
    const auto fill = [&] {
        while (void* p = pages.try_allocate(unit)) {
            std::memset(p, 1, unit);
            live.push_back(p);
        }
    };
    fill();
    EXPECT_IN_CHILD(live.size() * unit > 200_MiB); // to the last unit
    EXPECT_IN_CHILD(!platform::commit(other, 64_MiB));
    for (int n = 0; n < 65 * 16; ++n, live.pop_back())
        pages.deallocate(live.back(), unit);
    EXPECT_IN_CHILD(platform::commit(other, 64_MiB));
    platform::decommit(other, 64_MiB);
    const std::size_t left = live.size();
    fill();
    EXPECT_IN_CHILD(live.size() >= left + 64 * 16);
    std::_Exit(0);
}

TEST(page_resource_death, memory_goes_back_at_once_where_the_system_counts_it) {
    if (support::emulated())
        GTEST_SKIP() << "an emulator ignores limits";
    EXPECT_EXIT(give_room_to_others_where_memory_is_counted(), testing::ExitedWithCode(0), "");
}

[[noreturn]] void end_a_range_that_waits() {
    allow_address_space(1_GiB);
    page_resource pages{page_options{.reserve_bytes = 16_MiB}};
    void* const first = pages.try_allocate(unit);
    pages.deallocate(pages.try_allocate(300_MiB), 300_MiB); // waits in a range of its own
    EXPECT_IN_CHILD(pages.usage().bytes_reserved > 200_MiB);
    void* const large = pages.try_allocate(850_MiB); // needs the addresses of it
    EXPECT_IN_CHILD(large != nullptr);
    EXPECT_IN_CHILD(pages.usage().bytes_reserved < 852_MiB);
    pages.deallocate(large, 850_MiB);
    pages.deallocate(first, unit);
    pages.trim();
    EXPECT_IN_CHILD(pages.usage().bytes_reserved < 1_MiB);
    std::_Exit(0);
}

TEST(page_resource_death, a_range_whose_memory_waits_gives_its_addresses_to_another) {
    if (support::emulated())
        GTEST_SKIP() << "an emulator ignores limits";
    EXPECT_EXIT(end_a_range_that_waits(), testing::ExitedWithCode(0), "");
}

TEST(page_resource_death, lives_within_a_limited_address_space) {
    if (support::emulated())
        GTEST_SKIP() << "an emulator ignores limits";
    EXPECT_EXIT(live_within(1_GiB), testing::ExitedWithCode(0), "");
    EXPECT_EXIT(live_within(100_MiB), testing::ExitedWithCode(0), "");
}

TEST(page_resource_death, leaves_address_space_to_others_where_it_is_scarce) {
    if (support::emulated())
        GTEST_SKIP() << "an emulator ignores limits";
    EXPECT_EXIT(leave_room_for_others(), testing::ExitedWithCode(0), "");
}

TEST(page_resource_death, a_request_may_take_nearly_all_of_a_limited_address_space) {
    if (support::emulated())
        GTEST_SKIP() << "an emulator ignores limits";
    EXPECT_EXIT(serve_one_large_request(), testing::ExitedWithCode(0), "");
}

[[noreturn]] void free_without_a_mapping_left() {
    page_resource pages{page_options{.reserve_bytes = 64_MiB, .huge = huge_pages::never}};
    std::array<std::byte*, 3> p{};
    for (std::byte*& each : p) {
        each = bytes_at(pages.allocate(16 * unit));
        std::memset(each, 1, 16 * unit);
    }
    // Every second page of a large mapping gets another access until there is no mapping left.
    constexpr std::size_t many = 70'000;
    const std::size_t page = platform::page_bytes();
    std::byte* filler = bytes_at(platform::reserve(2 * many * page, page));
    EXPECT_IN_CHILD(filler != nullptr);
    std::size_t split = 0;
    while (split < many && platform::commit(filler + 2 * split * page, page))
        ++split;
    EXPECT_IN_CHILD(split < many); // else the limit is another one here
    pages.release(p[1], 16 * unit);
    EXPECT_IN_CHILD(platform::resident_bytes(p[1], 16 * unit) == 0);
    EXPECT_IN_CHILD(p[0][16 * unit - 1] == std::byte{1});
    EXPECT_IN_CHILD(p[2][0] == std::byte{1});
    EXPECT_IN_CHILD(pages.try_allocate(16 * unit) == p[1]);
    EXPECT_IN_CHILD(p[1][0] == std::byte{0});
    std::memset(p[1], 2, 16 * unit);
    std::_Exit(0);
}

TEST(page_resource_death, memory_goes_back_also_where_no_mapping_is_left) {
    if (support::emulated())
        GTEST_SKIP() << "an emulator ignores limits";
    std::ifstream file{"/proc/sys/vm/max_map_count"};
    std::size_t allowed = 0;
    file >> allowed;
    if (allowed > 66'000)
        GTEST_SKIP() << "more mappings are allowed here than the test makes";
    EXPECT_EXIT(free_without_a_mapping_left(), testing::ExitedWithCode(0), "");
}
#endif

} // namespace
