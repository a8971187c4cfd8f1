// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
// What suballocator_resource gives back, how it fails and what it says of misuse.
#include <arenite/pool/suballocator_resource.hpp>

#include <arenite/check/detail/poison.hpp>
#include <arenite/check/leak.hpp>
#include <arenite/check/passthrough.hpp>
#include <arenite/core/concepts.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/os/detail/platform.hpp>

#include <gtest/gtest.h>

#include "pool/pool_test.hpp"
#include "support/build_mode.hpp"
#include "support/counting_pages.hpp"
#include "support/counting_resource.hpp"
#include "support/region_list.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

using namespace arenite;
using namespace pool_test;
using support::every_call_is_careful;

namespace {

constexpr slot small{.bytes = 24, .alignment = 8};

// ---- giving back --------------------------------------------------------------------------------

TEST(suballocator_resource, rows_go_back_as_they_empty_not_only_the_last) {
    if (passthrough())
        GTEST_SKIP() << "memory comes from malloc";
    support::counting_pages pages;
    suballocator_resource r{small, suballocator_options{.policy = return_policy::return_all},
                            &pages};
    auto all = take(r, 1'000'000);
    const std::size_t full = r.usage().bytes_reserved;
    // All but the last tenth: rows below are empty, the last one is not.
    for (std::size_t i = 0; i < 900'000; ++i)
        r.deallocate(all[i]);
    EXPECT_LT(r.usage().bytes_reserved, full / 5);
    EXPECT_LT(pages.live_bytes(), full / 5);
    all.erase(all.begin(), all.begin() + 900'000);
    for (void* p : all)
        std::memset(p, 1, 24);
    give(r, all);
}

TEST(suballocator_resource, by_the_seeds_rule_only_the_last_row_goes_at_a_quarter) {
    if (passthrough())
        GTEST_SKIP() << "memory comes from malloc";
    support::counting_resource up;
    suballocator_resource r{small,
                            suballocator_options{.row_bytes = 64_KiB,
                                                 .order = slot_order::lowest,
                                                 .rule = row_return::last_row},
                            &up};
    const auto all = take(r, 1023); // rows of 1 to 512
    ASSERT_EQ(r.row_count(), 10u);
    for (std::size_t i = 1022; i >= 256; --i) {
        ASSERT_EQ(r.row_count(), 10u) << i;
        r.deallocate(all[i]);
    }
    r.deallocate(all[255]);
    EXPECT_EQ(r.allocate(), all[255]); // what was freed is seen to by now
    EXPECT_EQ(r.row_count(), 9u);
    r.deallocate(all[255]);
    for (std::size_t i = 0; i < 255; ++i)
        r.deallocate(all[i]);
}

TEST(suballocator_resource, who_swings_about_an_edge_does_not_ask_again_and_again) {
    if (passthrough())
        GTEST_SKIP() << "memory comes from malloc";
    support::counting_pages pages;
    suballocator_resource r{small, &pages};
    auto all = take(r, 500'000);
    while (r.row_count() == 0 || r.usage().largest_hole_bytes != 0)
        all.push_back(r.allocate()); // to the end of a row
    const std::size_t calls = pages.calls();
    for (int round = 0; round < 100; ++round) {
        const auto more = take(r, 1000);
        give(r, more);
    }
    EXPECT_LE(pages.calls(), calls + 1);
    EXPECT_EQ(pages.deallocations(), 0u);
    give(r, all);
}

TEST(suballocator_resource, memory_given_back_serves_another) {
    if (passthrough())
        GTEST_SKIP() << "memory comes from malloc";
    support::counting_pages pages;
    std::size_t peak = 0;
    suballocator_resource a{slot{24, 8}, &pages}, b{slot{40, 8}, &pages};
    for (int round = 0; round < 4; ++round) {
        suballocator_resource& r = round % 2 == 0 ? a : b;
        auto all = take(r, 24'000'000 / r.slot_bytes());
        if (round == 0)
            peak = pages.live_bytes();
        EXPECT_LE(pages.live_bytes(), peak + 4_MiB) << "a row stays, one is not full";
        give(r, all);
    }
}

TEST(suballocator_resource, trim_gives_back_all_that_is_empty_and_free_pages) {
    if (passthrough())
        GTEST_SKIP() << "memory comes from malloc";
    support::counting_pages pages;
    suballocator_resource r{slot{64, 64}, &pages};
    auto all = take(r, 200'000);
    for (void* p : all)
        std::memset(p, 1, 64);
    give_but(r, all, 200);
    r.trim();
    // A page each, and the bits.
    const std::size_t page = detail::os::platform::page_bytes();
    EXPECT_LE(pages.resident_bytes(), 200 * page + r.row_count() * (2_MiB / 64 / 8 + 2 * page));
    for (void* p : all)
        EXPECT_EQ(bytes_at(p)[63], std::byte{1});
    give(r, all);
    r.trim();
    EXPECT_EQ(r.usage().bytes_reserved, 0u);
    EXPECT_EQ(r.row_count(), 0u);
}

/// After a fall survivors that are replaced one by one move together, and the rows above go.
TEST(suballocator_resource, trim_and_return_all_let_memory_go_at_once) {
    if (passthrough())
        GTEST_SKIP() << "memory comes from malloc";
    for (const bool all_of_it : {false, true}) {
        support::counting_pages pages;
        suballocator_resource r{
            slot{64, 64},
            {.policy = all_of_it ? return_policy::return_all : return_policy::retain_all},
            &pages};
        auto all = take(r, 200'000);
        const std::size_t rows = r.row_count();
        give(r, all);
        if (!all_of_it) {
            EXPECT_EQ(r.row_count(), rows);
            r.trim();
        }
        EXPECT_LE(r.row_count(), all_of_it ? 1u : 0u);
        EXPECT_GE(pages.releases() + r.row_count(), rows) << "some may wait at the pages' source";
    }
}

TEST(suballocator_resource, survivors_move_together_as_they_are_replaced) {
    if (passthrough())
        GTEST_SKIP() << "memory comes from malloc";
    support::counting_pages pages;
    suballocator_resource r{slot{40, 8}, &pages};
    auto all = take(r, 1'000'000);
    const std::size_t full = pages.live_bytes();
    give_but(r, all, 10'000);
    r.trim();
    for (void*& p : all) { // each once
        r.deallocate(p);
        p = r.allocate();
    }
    EXPECT_LT(pages.live_bytes(), full / 10);
    give(r, all);
}

TEST(suballocator_resource, retain_all_keeps_until_trim) {
    if (passthrough())
        GTEST_SKIP() << "memory comes from malloc";
    support::counting_pages pages;
    suballocator_resource r{small, suballocator_options{.policy = return_policy::retain_all},
                            &pages};
    give(r, take(r, 500'000));
    EXPECT_EQ(pages.deallocations(), 0u);
    EXPECT_EQ(pages.purged_bytes(), 0u);
    r.trim();
    EXPECT_EQ(pages.live(), 0u);
}

// ---- failure ------------------------------------------------------------------------------------

/// After one bad_alloc seed 4 returned nullptr, 0x8 and 0x10 as if they were memory.
TEST(suballocator_resource, a_failed_request_changes_nothing) {
    if (passthrough())
        GTEST_SKIP() << "memory comes from malloc";
    support::counting_resource up;
    suballocator_resource r{small, suballocator_options{.row_bytes = 8_KiB}, &up};
    for (std::size_t n = 0; n < 60; ++n) {
        auto all = take(r, 100 * n);
        while (r.usage().largest_hole_bytes != 0)
            all.push_back(r.allocate());
        const arenite::usage before = r.usage();
        const std::size_t rows = r.row_count(), live = up.live();
        up.fail_after(0);
        for (int k = 0; k < 3; ++k) {
            EXPECT_EQ(r.try_allocate(), nullptr);
            EXPECT_EQ(r.usage(), before);
            EXPECT_EQ(r.row_count(), rows);
            EXPECT_EQ(up.live(), live);
        }
        up.never_fail();
        void* const p = r.allocate();
        EXPECT_TRUE(r.owns(p));
        std::memset(p, 1, 24);
        r.deallocate(p);
        give(r, all);
    }
}

TEST(suballocator_resource, an_upstream_with_little_left_serves_a_few) {
    if (passthrough())
        GTEST_SKIP() << "memory comes from malloc";
    support::counting_pages pages;
    pages.lend_at_most(3_MiB);
    suballocator_resource r{small, &pages};
    std::vector<void*> all;
    while (void* p = r.try_allocate())
        all.push_back(p);
    EXPECT_GT(all.size() * 24, 2_MiB + 900_KiB);
    give(r, all);
}

TEST(suballocator_resource, larger_requests_are_served_apart_and_counted) {
    support::counting_resource up;
    suballocator_resource r{small, &up};
    void* const p = r.allocate(100'000, 64);
    void* const q = r.allocate(24, 4096);
    EXPECT_TRUE(is_aligned(q, 4096));
    EXPECT_EQ(r.usage().live_allocations, 2u);
    EXPECT_TRUE(r.owns(p));
    r.deallocate(p, 100'000, 64);
    r.deallocate(q, 24, 4096);
    EXPECT_EQ(r.usage().bytes_in_use, 0u);
}

TEST(suballocator_resource, lists_each_slot_and_leaves_no_gap) {
    if (passthrough())
        GTEST_SKIP() << "memory comes from malloc";
    suballocator_resource r{small};
    auto all = take(r, 5000);
    give_but(r, all, 2000);
    const support::region_list list{r};
    EXPECT_EQ(list.count(region_state::used), all.size());
    for (void* p : all) {
        const region* const x = list.at(p);
        ASSERT_NE(x, nullptr);
        EXPECT_EQ(x->state, region_state::used);
        EXPECT_EQ(x->address, p);
    }
    EXPECT_EQ(list.bytes(), r.usage().bytes_reserved);
    give(r, all);
}

TEST(suballocator_resource, free_slots_are_out_of_reach_for_memory_checkers) {
    if (!detail::poison::reports_access() || passthrough())
        GTEST_SKIP() << "no memory checker is at work";
    suballocator_resource r{slot{64, 16}};
    void* const p = r.allocate();
    void* const q = r.allocate();
    EXPECT_TRUE(detail::poison::accessible(p, 64));
    r.deallocate(p);
    EXPECT_FALSE(detail::poison::accessible(p, 64));
    r.deallocate(q);
}

// ---- misuse -------------------------------------------------------------------------------------

#if GTEST_HAS_DEATH_TEST
TEST(suballocator_resource_death, a_slot_freed_twice_is_found_by_the_bits) {
    if (passthrough())
        GTEST_SKIP() << "memory comes from malloc";
    EXPECT_DEATH(
        {
            suballocator_resource r{small};
            const auto all = take(r, 1000);
            r.deallocate(all[10]);
            r.deallocate(all[300]);
            r.deallocate(all[10]);
            r.trim();
        },
        "freed into suballocator_resource .*(freed twice|is free already)");
}

TEST(suballocator_resource_death, a_slot_of_another_resource_is_refused) {
    if (passthrough())
        GTEST_SKIP() << "memory comes from malloc";
    EXPECT_DEATH(
        {
            suballocator_resource a{small};
            suballocator_resource b{small};
            static_cast<void>(take(a, 1000));
            a.deallocate(take(b, 1000)[5]);
            a.trim();
        },
        "freed into suballocator_resource .*it is not of this pool");
}

TEST(suballocator_resource_death, misuse_is_found_at_once_in_checked_builds) {
    if (!checks_enabled || passthrough())
        GTEST_SKIP() << "only a checked build sees each call";
    suballocator_resource r{small};
    void* const p = r.allocate();
    void* const large = r.allocate(10'000);
    EXPECT_DEATH(r.deallocate(bytes_at(p) + 8), "it points 8 bytes into the slot");
    EXPECT_DEATH(r.deallocate(large), "larger than a slot");
    EXPECT_DEATH(r.deallocate(p, 5000), "not of this pool, or is a slot");
    r.deallocate(large, 10'000);
    r.deallocate(p);
    EXPECT_DEATH(r.deallocate(p), "is free already");
}
#endif

TEST(suballocator_resource, what_is_alive_at_the_end_is_told_in_checked_builds) {
    static std::size_t told = 0;
    told = 0;
    const leak_handler before =
        set_leak_handler([](const leak_summary& summary) { told = summary.count; });
    {
        suballocator_resource r{small};
        const auto all = take(r, 100);
        for (std::size_t i = 3; i < all.size(); ++i)
            r.deallocate(all[i]);
    }
    set_leak_handler(before);
    EXPECT_EQ(told, checks_enabled ? 3u : 0u);
}

} // namespace
