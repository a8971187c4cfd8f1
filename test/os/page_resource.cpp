// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/core/alignment.hpp>
#include <arenite/core/concepts.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/core/upstream.hpp>
#include <arenite/os/detail/platform.hpp>
#include <arenite/os/page_resource.hpp>

#include "os/page_test.hpp"
#include "support/addresses.hpp"
#include "support/mappings.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <memory_resource>
#include <string>
#include <utility>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif

using namespace arenite;
using namespace page_test;
using detail::os::platform;

static_assert(Allocating<page_resource>);
static_assert(Owning<page_resource>);
static_assert(Trimmable<page_resource>);
static_assert(Measurable<page_resource>);
static_assert(Purging<page_resource>);
static_assert(Releasing<page_resource>);

namespace {

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
    page_resource pages{page_options{.reserve_bytes = support::gib_or(8, 128_MiB)}};
    std::vector<std::pair<void*, std::size_t>> live;
    for (std::size_t alignment = 1; alignment <= support::gib_or(4, 64_MiB); alignment *= 2) {
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
    void* p = pages.allocate(unit, support::gib_or(8, 64_MiB));
    EXPECT_TRUE(is_aligned(p, support::gib_or(8, 64_MiB)));
    pages.deallocate(p, unit, support::gib_or(8, 64_MiB));
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
    for (std::size_t bytes :
         {all, all - 1, all - unit, all / 2, all / 2 + 1, support::beyond_memory,
          support::gib_or(1 << 18, support::beyond_memory)}) {
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

TEST(page_resource, a_range_begins_with_few_addresses_and_grows_in_place) {
    if (!platform::reservations_grow || support::emulated())
        GTEST_SKIP() << "reservations do not grow here";
    const std::size_t before = support::address_space_in_use();
    page_resource pages;
    std::byte* const first = bytes_at(pages.allocate(unit));
    EXPECT_LE(support::address_space_in_use(), before + 96_MiB); // 20 MiB are for bookkeeping
    EXPECT_FALSE(pages.owns(first + 64_MiB));
    std::vector<void*> live;
    for (int i = 1; i < 300; ++i) {
        live.push_back(pages.allocate(1_MiB, 1_MiB));
        EXPECT_EQ(live.back(), first + static_cast<std::size_t>(i) * 1_MiB);
    }
    EXPECT_TRUE(pages.owns(first + 400_MiB)) << "it doubled";
    EXPECT_LE(support::address_space_in_use(), before + 700_MiB);
    for (void* p : live)
        pages.deallocate(p, 1_MiB);
    pages.trim();
    EXPECT_FALSE(pages.owns(first + 300_MiB));
    EXPECT_LE(support::address_space_in_use(), before + 64_MiB);
    std::byte* const again = bytes_at(pages.allocate(100_MiB));
    EXPECT_GT(again, first);
    EXPECT_TRUE(pages.owns(again + 100_MiB - 1));
}

#if defined(__linux__)
TEST(page_resource, where_a_range_cannot_grow_another_follows_until_it_can) {
    if (support::emulated())
        GTEST_SKIP() << "an emulator has mappings of its own";
    page_resource pages;
    std::byte* const first = bytes_at(pages.allocate(unit));
    std::byte* end = first;
    while (pages.owns(end))
        end += 1_MiB;
    void* const others =
        ::mmap(end, 1_MiB, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    ASSERT_EQ(others, end);
    void* const large = pages.allocate(100_MiB);
    EXPECT_TRUE(large < first || large > end);
    EXPECT_TRUE(pages.owns(large));
    EXPECT_EQ(pages.allocate(unit), first + unit) << "the first one is served from as before";
    ::munmap(others, 1_MiB);
    pages.deallocate(large, 100_MiB);
    pages.trim();
    void* const again = pages.allocate(100_MiB);
    EXPECT_TRUE(again > first && again < end) << "it grew";
}
#endif

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
    void* p = pages.allocate(support::gib_or(3, 1_GiB));
    *bytes_at(p) = bytes_at(p)[support::gib_or(3, 1_GiB) - 1] = std::byte{1};
    EXPECT_EQ(pages.usage().bytes_in_use, support::gib_or(3, 1_GiB));
    pages.deallocate(p, support::gib_or(3, 1_GiB));
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
    page_resource pages{page_options{.reserve_bytes = support::gib_or(64, 512_MiB)}};
    // Nearly twice as many as there may be mappings, within one range: a second one is a mapping
    // more, and where addresses are few (64 GiB under qemu-user) a range has 8 GiB.
    constexpr std::size_t count = 60'000;
    std::vector<std::pair<void*, std::size_t>> live;
    live.reserve(2 * count);
    pages.deallocate(pages.allocate(1), 1);
    const std::size_t before = support::mapping_count();
    for (std::size_t i = 0; i < count; ++i) {
        live.emplace_back(pages.allocate(1), 1);
        live.emplace_back(pages.allocate(41'000, 64_KiB), 41'000);
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
    } constexpr cases[] = {{huge_pages::automatic, " nh ", " hg "},
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
    EXPECT_EQ(pages.try_allocate(support::gib_or(1 << 18, support::beyond_memory)), nullptr);
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

} // namespace
