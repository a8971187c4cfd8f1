// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
// What pool_resource holds, gives back and tells, and what it says of misuse.
#include <arenite/pool/pool_resource.hpp>

#include <arenite/block/detail/colouring.hpp>
#include <arenite/check/detail/poison.hpp>
#include <arenite/check/leak.hpp>
#include <arenite/check/passthrough.hpp>
#include <arenite/core/concepts.hpp>
#include <arenite/core/create.hpp>
#include <arenite/core/error.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/linear/linear_resource.hpp>
#include <arenite/os/detail/platform.hpp>

#include <gtest/gtest.h>

#include "pool/pool_test.hpp"
#include "support/build_mode.hpp"
#include "support/counting_pages.hpp"
#include "support/counting_resource.hpp"
#include "support/region_list.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <memory_resource>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <unordered_map>
#include <vector>

using namespace arenite;
using namespace pool_test;
using support::every_call_is_careful;

namespace {

constexpr slot small{.bytes = 48, .alignment = 16};

// ---- memory -------------------------------------------------------------------------------------

TEST(pool_resource, asks_once_for_what_is_reserved) {
    support::counting_resource up;
    pool_resource pool{small, &up};
    for (const std::size_t slots : {100u, 100'000u, 200'000u}) {
        ASSERT_TRUE(pool.try_reserve(slots));
        const std::size_t calls = up.calls();
        EXPECT_TRUE(pool.try_reserve(slots));
        const auto all = take(pool, slots);
        EXPECT_EQ(up.calls(), calls);
        give(pool, all);
    }
    up.fail_after(0);
    EXPECT_EQ(pool.try_reserve(1'000'000), passthrough());
    EXPECT_EQ(pool.try_reserve(std::numeric_limits<std::size_t>::max()), passthrough());
    pool_resource fixed{small, 10, &up};
    EXPECT_FALSE(fixed.try_reserve(11));
}

TEST(pool_resource, holds_little_more_than_its_slots) {
    support::counting_pages pages;
    pool_resource pool{slot{24, 8}, &pages};
    const auto all = take(pool, 1'000'000);
    const usage u = pool.usage();
    EXPECT_EQ(u.bytes_in_use, 24'000'000u);
    EXPECT_EQ(u.live_allocations, 1'000'000u);
    EXPECT_LE(u.bytes_reserved, 24'600'000u + 2_MiB);
    give(pool, all);
    EXPECT_EQ(pool.usage().bytes_in_use, 0u);
    EXPECT_EQ(pool.usage().high_water_bytes, 24'000'000u);
}

TEST(pool_resource, returns_spans_by_its_policy) {
    for (const bool all_of_it : {true, false}) {
        support::counting_pages pages;
        pool_resource pool{small,
                           pool_options{.policy = all_of_it ? return_policy::return_all
                                                            : return_policy::retain_all},
                           &pages};
        const auto all = take(pool, 500'000);
        const std::size_t most = pages.live_bytes();
        give(pool, all);
        if (all_of_it)
            EXPECT_LE(pages.live_bytes(), most / 8);
        else
            EXPECT_EQ(pages.live_bytes(), most);
        pool.trim();
        EXPECT_EQ(pages.live_bytes(), 0u);
        const auto again = take(pool, 1'000);
        give(pool, again);
    }
}

TEST(pool_resource, trim_gives_the_pages_between_slots_back) {
    support::counting_pages pages;
    pool_resource pool{small, pool_options{.policy = return_policy::retain_all}, &pages};
    const auto all = take(pool, 200'000);
    for (void* p : all)
        std::memset(p, 1, 48);
    const std::size_t most = pages.resident_bytes();
    std::vector<void*> kept;
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (i % 2'000 == 0)
            kept.push_back(all[i]);
        else
            pool.deallocate(all[i]);
    }
    pool.trim();
    EXPECT_LE(pages.resident_bytes(), most / 5);
    for (void* p : kept)
        EXPECT_EQ(bytes_at(p)[47], std::byte{1});
    const auto again = take(pool, 100'000);
    give(pool, again);
    give(pool, kept);
}

TEST(pool_resource, an_upstream_that_fails_changes_nothing) {
    support::counting_resource up;
    pool_resource pool{small, &up};
    up.fail_after(0);
    EXPECT_EQ(pool.try_allocate(), nullptr);
    EXPECT_EQ(pool.try_allocate(5'000), nullptr);
    up.never_fail();
    auto all = take(pool, 1'000);
    up.fail_after(0);
    for (void* p = nullptr; (p = pool.try_allocate()) != nullptr;)
        all.push_back(p);
    EXPECT_EQ(pool.usage().live_allocations, all.size());
    // Every slot that there is serves before the upstream's answer counts.
    auto freed = give_random_half(pool, all);
    const auto again = take(pool, freed.size());
    EXPECT_EQ(pool.try_allocate(), nullptr);
    up.never_fail();
    give(pool, again);
    give(pool, all);
}

TEST(pool_resource, an_upstream_with_too_little_for_one_slot_is_asked_again) {
    support::counting_pages pages;
    pool_resource pool{slot{1'000, 8}, 2, &pages};
    pages.lend_at_most(2'000);
    EXPECT_EQ(pool.try_allocate(), nullptr);
    EXPECT_EQ(pages.live(), 0u);
    pages.lend_at_most(1_MiB);
    give(pool, take(pool, 2));
}

TEST(pool_resource, destruction_returns_what_is_alive) {
    const leak_handler before = set_leak_handler([](const leak_summary&) {});
    {
        support::counting_pages pages;
        pool_resource pool{small, &pages};
        take(pool, 10'000);
        static_cast<void>(pool.allocate(10'000));
    } // pages would report
    set_leak_handler(before);
}

// ---- what it tells ------------------------------------------------------------------------------

TEST(pool_resource, owns_its_slots_and_nothing_else) {
    pool_resource pool{small};
    pool_resource other{small};
    void* const p = pool.allocate();
    void* const q = other.allocate();
    int local = 0;
    EXPECT_TRUE(pool.owns(p));
    EXPECT_TRUE(pool.owns(bytes_at(p) + 47));
    EXPECT_FALSE(pool.owns(q));
    EXPECT_FALSE(pool.owns(&local));
    EXPECT_FALSE(pool.owns(nullptr));
    pool.deallocate(p);
    other.deallocate(q);
}

TEST(pool_resource, lists_each_slot_and_leaves_no_gap) {
    pool_resource pool{small};
    auto all = take(pool, 3'000);
    const auto freed = give_random_half(pool, all);
    void* const large = pool.allocate(5'000);
    const support::region_list list{pool};
    EXPECT_EQ(list.count(region_state::used), all.size() + 1);
    for (void* p : all) {
        const region* r = list.at(p);
        ASSERT_NE(r, nullptr);
        EXPECT_EQ(r->address, p);
        EXPECT_EQ(r->bytes, 48u);
        EXPECT_EQ(r->state, region_state::used);
        EXPECT_TRUE(r->one_object);
    }
    for (void* p : freed) {
        ASSERT_NE(list.at(p), nullptr);
        EXPECT_EQ(list.at(p)->state, region_state::free);
    }
    EXPECT_EQ(list.at(large)->bytes, 5'000u);
    for (std::size_t i = 1; i < list.all().size(); ++i) {
        const region& a = list.all()[i - 1];
        const region& b = list.all()[i];
        EXPECT_NE(a.bytes, 0u);
        if (address_of(a.address) / 64_KiB == address_of(b.address) / 64_KiB) {
            EXPECT_EQ(static_cast<const std::byte*>(a.address) + a.bytes, b.address);
        }
    }
    pool.deallocate(large, 5'000);
    give(pool, all);
}

TEST(pool_resource, free_slots_are_out_of_reach_for_memory_checkers) {
    if (!detail::poison::reports_access())
        GTEST_SKIP() << "no memory checker is at work";
    pool_resource pool{small};
    void* const p = pool.allocate();
    EXPECT_TRUE(detail::poison::accessible(p, 48));
    EXPECT_FALSE(detail::poison::accessible(bytes_at(p) + 48, 48));
    pool.deallocate(p);
    EXPECT_FALSE(detail::poison::accessible(p, 48));
}

TEST(pool_resource, with_passthrough_each_slot_is_mallocs) {
    const bool before = detail::set_passthrough_for_test(true);
    {
        support::counting_pages pages;
        pool_resource pool{small, 3, &pages};
        void* const a = pool.allocate();
        void* const b = pool.allocate();
        void* const c = pool.allocate();
        EXPECT_EQ(pool.try_allocate(), nullptr);
        EXPECT_TRUE(pool.owns(a));
        EXPECT_EQ(pool.usage().live_allocations, 3u);
        pool.deallocate(b);
        void* const d = pool.allocate();
        EXPECT_EQ(pages.calls(), 0u);
        std::size_t seen = 0;
        pool.for_each([&](void* p) {
            EXPECT_TRUE(p == a || p == c || p == d);
            ++seen;
        });
        EXPECT_EQ(seen, 3u);
        pool.deallocate(a);
        pool.deallocate(c);
        pool.deallocate(d);
    }
    detail::set_passthrough_for_test(before);
}

// ---- misuse -------------------------------------------------------------------------------------

TEST(pool_resource_death, a_slot_freed_twice_is_found_by_the_bits) {
    pool_resource pool{small};
    const auto all = take(pool, 10'000);
    const auto twice = [&] {
        pool.deallocate(all[5'000]);
        for (std::size_t i = 0; i < 1'000; i += 2)
            pool.deallocate(all[i]);
        pool.deallocate(all[5'000]);
        for (std::size_t i = 8'000; i < 9'000; i += 2)
            pool.deallocate(all[i]);
    };
    EXPECT_DEATH(twice(), "was freed into pool_resource .* slots of 48 bytes: .*free");
    give(pool, all);
}

TEST(pool_resource_death, misuse_is_found_at_once_in_checked_builds) {
    if constexpr (checks_enabled) {
        pool_resource pool{small};
        pool_resource other{slot{100, 4}};
        void* const p = pool.allocate();
        void* const q = pool.allocate();
        void* const foreign = other.allocate();
        void* const large = pool.allocate(1'000);
        int local = 0;
        EXPECT_DEATH(pool.deallocate(foreign), "belongs to pool_resource .* slots of 100 bytes");
        EXPECT_DEATH(pool.deallocate(&local), "it is not of this pool");
        EXPECT_DEATH(pool.deallocate(bytes_at(p) + 8), "it points 8 bytes into the slot at");
        EXPECT_DEATH(pool.deallocate(bytes_at(p) + 48 * 3), "free already, or was never handed");
        EXPECT_DEATH(pool.deallocate(bytes_at(p) - 16), "what the pool keeps for itself");
        EXPECT_DEATH(pool.deallocate(large), "to be freed with its size");
        EXPECT_DEATH(pool.deallocate(large, 900), "not allocated with this size");
        EXPECT_DEATH(static_cast<void>(pool.try_allocate(8, 3)), "power of two");
        pool.deallocate(q);
        EXPECT_DEATH(pool.deallocate(q), "the slot is free already");
        pool.deallocate(p);
        pool.deallocate(large, 1'000);
        other.deallocate(foreign);
        EXPECT_DEATH((pool_resource{slot{16, 12}}), "power of two");
    } else {
        GTEST_SKIP() << "only a checked build finds it at once";
    }
}

TEST(pool_resource_death, what_is_alive_at_the_end_is_told_in_checked_builds) {
    if constexpr (checks_enabled) {
        static std::size_t count = 0;
        static std::size_t bytes = 0;
        const leak_handler before = set_leak_handler([](const leak_summary& s) {
            count = s.count;
            bytes = s.bytes;
        });
        {
            pool_resource pool{small};
            take(pool, 3);
            pool.deallocate(pool.allocate());
        }
        set_leak_handler(before);
        EXPECT_EQ(count, 3u);
        EXPECT_EQ(bytes, 3 * 48u);
    } else {
        GTEST_SKIP() << "only a checked build finds it at once";
    }
}

} // namespace
