// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Memory that comes back to page_resource and waits.
#include <arenite/check/passthrough.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/ordered/ordered_heap.hpp>
#include <arenite/os/detail/platform.hpp>
#include <arenite/os/page_resource.hpp>

#include "os/page_test.hpp"
#include "support/mappings.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <utility>
#include <vector>

using namespace arenite;
using namespace page_test;
using detail::os::platform;

namespace {

// ---- back to the system, sooner or later --------------------------------------------------------

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
    pages.give_back_due();
    EXPECT_EQ(platform::resident_bytes(b, 2 * unit), 2 * unit);
    the_time += 1;
    pages.give_back_due();
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
    pages.give_back_due();
    EXPECT_EQ(platform::resident_bytes(b, unit), unit);
    the_time += 1;
    pages.give_back_due();
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
        pages.give_back_due();
    }
}

TEST(page_resource, requests_that_end_within_a_unit_find_the_pages_of_the_round_before) {
    page_resource pages{slowly()};
    constexpr std::size_t bytes = 2 * unit + unit / 4;
    for (int round = 0; round < 4; ++round) {
        std::array<std::byte*, 32> all{};
        for (std::byte*& p : all) {
            p = bytes_at(pages.allocate(bytes));
            if (round > 0) {
                EXPECT_EQ(*p, std::byte{1}) << "a page was cleared for it";
            }
            std::memset(p, 1, bytes);
        }
        for (std::byte* p : all)
            pages.deallocate(p, bytes);
        for (std::byte* p : all)
            EXPECT_EQ(platform::resident_bytes(p, bytes), bytes);
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
        pages.give_back_due();
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
    pages.give_back_due();
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

TEST(page_resource, a_third_of_the_most_that_was_in_use_may_wait) {
    page_options options = slowly();
    options.most_waiting_bytes = 0;
    page_resource pages{options};
    std::byte* p = touched(pages, 15 * unit);
    pages.deallocate(p, 15 * unit);
    EXPECT_EQ(platform::resident_bytes(p, 15 * unit), 5 * unit);
    EXPECT_EQ(platform::resident_bytes(p, 5 * unit), 5 * unit) << "the highest goes first";
}

TEST(page_resource, what_comes_back_in_small_pieces_leaves_no_more_than_at_once) {
    for (const std::size_t piece : {unit, std::size_t{1_MiB}, std::size_t{400_MiB}}) {
        page_resource pages{slowly()};
        std::vector<void*> all(400_MiB / piece);
        for (void*& p : all)
            p = pages.allocate(piece);
        for (void* p : all)
            pages.deallocate(p, piece);
        EXPECT_LE(pages.usage().bytes_reserved, 36_MiB) << piece;
    }
}

TEST(page_resource, what_waits_fills_up_what_was_in_use_at_most_and_a_third_of_it) {
    page_resource pages{slowly()};
    std::byte* const low = touched(pages, 8_MiB);
    std::byte* const high = touched(pages, 8_MiB);
    pages.deallocate(low, 8_MiB);
    std::byte* const above = touched(pages, 12_MiB); // 20 MiB at most: 8 wait already
    pages.deallocate(high, 8_MiB);
    pages.deallocate(above, 12_MiB);
    EXPECT_LE(platform::resident_bytes(low, 28_MiB), 20_MiB + 20_MiB / 3 + unit);
}

TEST(page_resource, four_mib_may_always_wait_unless_the_limit_is_lower) {
    for (const std::size_t most : {std::size_t{256_MiB}, std::size_t{1_MiB}}) {
        page_options options = slowly();
        options.most_waiting_bytes = most;
        page_resource pages{options};
        std::byte* const first = touched(pages, 512_KiB);
        std::array<std::byte*, 10> others{};
        for (std::byte*& p : others)
            p = touched(pages, 512_KiB);
        std::byte* const between = touched(pages, 512_KiB);
        for (std::byte* p : others)
            pages.deallocate(p, 512_KiB);
        std::byte* const above = touched(pages, 6_MiB); // nothing that waits serves
        EXPECT_GT(above, between);
        const std::size_t waiting = platform::resident_bytes(first + 512_KiB, 5_MiB);
        EXPECT_EQ(waiting, most < 4_MiB ? 2_MiB : 4_MiB) << "a third of the first peak";
        pages.deallocate(between, 512_KiB);
        pages.deallocate(above, 6_MiB);
        pages.deallocate(first, 512_KiB);
    }
}

TEST(page_resource, what_cannot_use_what_waits_lets_a_third_of_the_new_peak_wait) {
    page_options options = slowly();
    options.reserve_bytes = 128_MiB;
    page_resource pages{options};
    std::array<std::byte*, 48> freed{};
    std::array<std::byte*, 48> kept{};
    for (std::size_t i = 0; i < freed.size(); ++i) {
        freed[i] = touched(pages, 8 * unit);
        kept[i] = touched(pages, unit);
    }
    for (std::byte* p : freed)
        pages.deallocate(p, 8 * unit);
    const auto waiting = [&] {
        std::size_t sum = 0;
        for (std::byte* p : freed)
            sum += platform::resident_bytes(p, 8 * unit);
        return sum;
    };
    EXPECT_EQ(waiting(), 8 * freed.size() * unit);
    // 12 units fit into no hole of 8. No more goes at a call than it takes.
    std::size_t before = waiting();
    std::size_t in_use = kept.size();
    for (int i = 0; i < 48; ++i) {
        static_cast<void>(touched(pages, 12 * unit));
        in_use += 12;
        const std::size_t now = waiting();
        EXPECT_LE(before - now, 12 * unit);
        const std::size_t peak = std::max<std::size_t>(in_use, 9 * 48);
        EXPECT_LE(now, (peak + peak / 3 - in_use) * unit);
        before = now;
    }
    EXPECT_EQ(before, 9 * 48 / 3 * unit) << "no more goes than must";
    for (std::byte* p : kept)
        EXPECT_EQ(*p, kept[0][0]);
}

TEST(page_resource, beside_what_is_fresh_an_eighth_of_the_peak_may_wait) {
    page_options options = slowly();
    options.reserve_bytes = 1_GiB;
    page_resource pages{options};
    std::vector<void*> all(256);
    for (void*& p : all)
        p = pages.allocate(2_MiB);
    const auto waiting = [&] {
        const usage now = pages.usage();
        return align_down(now.bytes_reserved - now.bytes_in_use, std::size_t{1_MiB});
    };
    for (std::size_t i = 0; i < 160; i += 2)
        pages.deallocate(all[i], 2_MiB);
    ASSERT_GE(waiting(), 80_MiB) << "a quarter of what is in use";
    // 4 MiB fit into none of these: as much of them goes.
    for (std::size_t n = 1; n <= 6; ++n) {
        const std::size_t before = waiting();
        static_cast<void>(pages.allocate(4_MiB));
        EXPECT_EQ(waiting(), std::max<std::size_t>(before - 4_MiB, 64_MiB)) << n;
    }
    EXPECT_EQ(waiting(), 64_MiB) << "512 were in use";
    static_cast<void>(pages.allocate(2_MiB));
    EXPECT_EQ(waiting(), 62_MiB) << "what waits is not fresh";
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
    pages.give_back_due();
    EXPECT_EQ(platform::resident_bytes(p, huge), 0u);
    EXPECT_EQ(support::mapping_flags(p).find(" hg "), std::string::npos);
    // A small request in the midst of what waits keeps its memory, and nothing beside it.
    p = touched(pages, huge);
    EXPECT_NE(support::mapping_flags(p).find(" hg "), std::string::npos);
    pages.deallocate(p, huge);
    EXPECT_EQ(pages.allocate(unit), p);
    EXPECT_EQ(*p, std::byte{1});
    the_time += 1000;
    pages.give_back_due();
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
    pages.give_back_due();
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

/// A program that came back for 40 MiB may not come back for 200.
TEST(page_resource, small_waves_that_came_back_do_not_let_a_large_one_wait) {
    page_options options = slowly();
    options.huge = huge_pages::never;
    options.reserve_bytes = 512_MiB;
    page_resource pages{options};
    const auto wave = [&](std::size_t count) {
        std::vector<void*> all;
        for (std::size_t i = 0; i < count; ++i)
            all.push_back(pages.allocate(1_MiB));
        for (void* p : all)
            pages.deallocate(p, 1_MiB);
    };
    for (int n = 0; n < 2; ++n) {
        wave(40);
        EXPECT_LE(pages.usage().bytes_reserved, 33_MiB) << n << ": not before it came back twice";
    }
    wave(40);
    EXPECT_GE(pages.usage().bytes_reserved, 40_MiB);
    wave(200);
    EXPECT_LE(pages.usage().bytes_reserved, 81_MiB);
    EXPECT_GE(pages.usage().bytes_reserved, 79_MiB);
}

/// Batches of buffers that all come and go: where each fits differs from time to time.
TEST(page_resource, batches_of_a_few_buffers_are_not_returned_and_faulted_in_again) {
    if (passthrough())
        GTEST_SKIP() << "the heap's objects are malloc's";
    page_options options = slowly();
    options.huge = huge_pages::never;
    page_resource pages{options};
    ordered_heap heap{&pages};
    std::mt19937 random{20261128};
    std::size_t used = 0, faulted = 0;
    for (int round = 0; round < 300; ++round) {
        std::array<std::pair<std::byte*, std::size_t>, 64> batch{};
        for (auto& [p, bytes] : batch) {
            bytes = 66'000 + random() % 234'000;
            p = bytes_at(heap.allocate(bytes));
            std::byte* const first = p + padding_for(p, platform::page_bytes());
            const std::size_t whole =
                align_down(bytes, platform::page_bytes()) - platform::page_bytes();
            if (round >= 100) {
                used += whole;
                faulted += whole - platform::resident_bytes(first, whole);
            }
            std::memset(p, 1, bytes);
        }
        for (const auto& [p, bytes] : batch)
            heap.deallocate(p, bytes);
    }
    EXPECT_LT(faulted, used / 500) << used;
}

} // namespace
