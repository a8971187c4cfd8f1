// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/pool/pool_resource.hpp>

#include <arenite/block/detail/colouring.hpp>
#include <arenite/check/detail/poison.hpp>
#include <arenite/check/leak.hpp>
#include <arenite/check/passthrough.hpp>
#include <arenite/core/concepts.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/create.hpp>
#include <arenite/core/error.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/linear/linear_resource.hpp>
#include <arenite/os/detail/platform.hpp>

#include <gtest/gtest.h>

#include "pool/pool_test.hpp"
#include "support/addresses.hpp"
#include "support/build_mode.hpp"
#include "support/counting_pages.hpp"
#include "support/counting_resource.hpp"
#include "support/mappings.hpp"
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

static_assert(Allocating<pool_resource>);
static_assert(Owning<pool_resource>);
static_assert(Trimmable<pool_resource>);
static_assert(Measurable<pool_resource>);
static_assert(Mappable<pool_resource>);

namespace {

constexpr slot small{.bytes = 48, .alignment = 16};

// ---- slots --------------------------------------------------------------------------------------

TEST(pool_resource, slots_take_their_size_and_nothing_else) {
    for (const slot s : {slot{1, 1}, slot{3, 1}, slot{20, 4}, slot{24, 8}, slot{48, 16},
                         slot{100, 4}, slot{256, 16}, slot{4096, 64}, slot{33, 32}}) {
        pool_resource pool{s};
        const std::size_t rounded = (s.bytes + s.alignment - 1) / s.alignment * s.alignment;
        EXPECT_EQ(pool.slot_bytes(), rounded);
        const auto all = take(pool, 10);
        for (std::size_t i = 0; i < all.size(); ++i)
            EXPECT_EQ(all[i], bytes_at(all[0]) + i * rounded) << s.bytes;
        EXPECT_TRUE(is_aligned(all[0], s.alignment));
        give(pool, all);
    }
}

TEST(pool_resource, a_slot_of_no_bytes_takes_one) {
    pool_resource pool{slot{0, 1}};
    EXPECT_EQ(pool.slot_bytes(), 1u);
    void* const a = pool.allocate();
    void* const b = pool.allocate();
    EXPECT_NE(a, b);
    pool.deallocate(a);
    pool.deallocate(b);
}

TEST(pool_resource, an_alignment_that_nobody_has_is_refused) {
    for (unsigned power = 40; power < 64; ++power) {
        pool_resource pool{slot{16, std::size_t{1} << power}};
        EXPECT_EQ(pool.try_allocate(), nullptr) << power;
        EXPECT_EQ(pool.usage().bytes_reserved, 0u);
    }
}

TEST(pool_resource, alignments_beyond_a_page_are_honoured) {
    for (const std::size_t alignment : {8_KiB, 64_KiB, 1_MiB}) {
        pool_resource pool{slot{24, alignment}};
        const auto all = take(pool, 40);
        for (void* p : all) {
            EXPECT_TRUE(is_aligned(p, alignment)) << alignment;
            std::memset(p, 1, 24);
        }
        give(pool, all);
    }
}

TEST(pool_resource, a_slot_that_cannot_be_fails_at_each_request_and_asks_nobody) {
    support::counting_pages pages;
    for (const slot s : {slot{std::numeric_limits<std::size_t>::max(), 1}, slot{2_GiB, 16},
                         slot{std::numeric_limits<std::size_t>::max() - 8, 16},
                         slot{16, support::largest_power / 2}, slot{16, support::largest_power},
                         slot{std::numeric_limits<std::size_t>::max(), support::largest_power}}) {
        pool_resource pool{s, &pages};
        EXPECT_EQ(pool.try_allocate(), nullptr);
        EXPECT_EQ(pool.try_allocate(16, 8), nullptr);
        EXPECT_EQ(pool.usage(), arenite::usage{});
    }
    EXPECT_EQ(pages.calls(), 0u);
}

TEST(pool_resource, nothing_is_allocated_before_the_first_request) {
    support::counting_pages pages;
    pool_resource pool{small, &pages};
    EXPECT_EQ(pages.calls(), 0u);
    EXPECT_EQ(pool.usage().bytes_reserved, 0u);
}

TEST(pool_resource, eager_asks_at_construction_and_prefault_touches) {
    if (support::emulated())
        GTEST_SKIP() << "an emulator ignores advice";
    support::counting_pages pages;
    const pool_resource eager{small, pool_options{.eager = true}, &pages};
    EXPECT_EQ(pages.live(), 1u);
    const std::size_t untouched = pages.resident_bytes();
    const pool_resource touched{small, pool_options{.block_bytes = 256_KiB, .prefault = true},
                                &pages};
    EXPECT_EQ(pages.live(), 2u);
    EXPECT_GE(pages.resident_bytes(), untouched + 256_KiB);
}

TEST(pool_resource, eager_without_memory_throws) {
#if ARENITE_EXCEPTIONS
    support::counting_resource up;
    up.fail_after(0);
    EXPECT_THROW(pool_resource(small, pool_options{.eager = true}, &up), out_of_memory);
    EXPECT_THROW(pool_resource(small, pool_options{.slots = 100, .prefault = true}, &up),
                 out_of_memory);
    EXPECT_EQ(up.live(), 0u);
#else
    GTEST_SKIP() << "nothing throws in this build";
#endif
}

TEST(pool_resource, a_small_pool_touches_one_page) {
    support::counting_pages pages;
    pool_resource pool{slot{24, 8}, &pages};
    const auto all = take(pool, 5);
    for (void* p : all)
        std::memset(p, 1, 24);
    if (!detail::poison::active && !checks_enabled) {
        EXPECT_EQ(pages.resident_bytes(), detail::os::platform::page_bytes());
    }
    give(pool, all);
}

// ---- order --------------------------------------------------------------------------------------

TEST(pool_resource, fresh_slots_come_in_address_order) {
    pool_resource pool{small};
    const auto all = take(pool, 100'000);
    EXPECT_EQ(descents(all), 0u);
    give(pool, all);
}

TEST(pool_resource, slots_far_apart_have_other_cache_colours) {
    pool_resource pool{small};
    const auto all = take(pool, 5'000);
    std::set<std::size_t> gaps;
    for (std::size_t i = 1; i < all.size(); ++i) {
        if (address_of(all[i]) / 64_KiB == address_of(all[i - 1]) / 64_KiB) // of one block
            gaps.insert(static_cast<std::size_t>(bytes_at(all[i]) - bytes_at(all[i - 1])));
    }
    EXPECT_EQ(gaps, (std::set<std::size_t>{48, 48 + detail::colour_bytes}));
    give(pool, all);
}

TEST(pool_resource, the_slot_freed_last_comes_first) {
    if (every_call_is_careful)
        GTEST_SKIP() << "there the lowest comes first";
    pool_resource pool{small};
    const auto all = take(pool, 10'000);
    for (const std::size_t i : {17u, 9'000u, 400u}) {
        pool.deallocate(all[i]);
        EXPECT_EQ(pool.allocate(), all[i]);
    }
    pool.deallocate(all[100]);
    pool.deallocate(all[7'000]);
    EXPECT_EQ(pool.allocate(), all[7'000]);
    EXPECT_EQ(pool.allocate(), all[100]);
    give(pool, all);
}

TEST(pool_resource, what_was_freed_at_random_comes_back_in_address_order) {
    pool_resource pool{small};
    auto all = take(pool, 100'000);
    const std::size_t reserved = pool.usage().bytes_reserved;
    const auto freed = give_random_half(pool, all);
    const auto again = take(pool, freed.size());
    // But for the hot ones at first, and what was open.
    EXPECT_LE(descents(again), 160u);
    EXPECT_EQ(pool.usage().bytes_reserved, reserved) << "it did not grow";
    std::set<void*> holes(freed.begin(), freed.end());
    const auto reused =
        std::count_if(again.begin(), again.end(), [&](void* p) { return holes.contains(p); });
    EXPECT_GE(static_cast<std::size_t>(reused) + 8'000, again.size());
    give(pool, again);
    give(pool, all);
}

TEST(pool_resource, neighbours_freed_in_a_row_come_back_in_order) {
    for (const bool upward : {true, false}) {
        pool_resource pool{small};
        auto all = take(pool, 20'000);
        const auto first = all.begin() + 3'000;
        const auto last = all.begin() + 9'000;
        const std::set<void*> holes(first, last);
        if (!upward)
            std::reverse(first, last);
        give(pool, std::vector<void*>(first, last));
        const auto again = take(pool, holes.size());
        std::copy(again.begin(), again.end(), first);
        EXPECT_LE(descents(again), 160u);
        const auto reused =
            std::count_if(again.begin(), again.end(), [&](void* p) { return holes.contains(p); });
        EXPECT_GE(reused, 2'000);
        give(pool, all);
    }
}

TEST(pool_resource, holes_are_used_before_pages_that_nobody_touched) {
    for (const std::size_t n : {900u, 2'000u, 5'000u}) { // of two blocks, three, six
        support::counting_pages pages;
        pool_resource pool{slot{256, 16}, &pages};
        auto all = take(pool, n);
        for (void* p : all)
            std::memset(p, 1, 256);
        const std::size_t touched = pages.resident_bytes();
        const auto freed = give_random_half(pool, all);
        const auto again = take(pool, freed.size());
        for (void* p : again)
            std::memset(p, 2, 256);
        EXPECT_LE(pages.resident_bytes(), touched + 16_KiB) << n;
        give(pool, all);
        give(pool, again);
    }
}

// ---- capacity -----------------------------------------------------------------------------------

TEST(pool_resource, a_fixed_number_of_slots_is_exactly_that) {
    for (const std::size_t n : {1u, 2u, 63u, 64u, 65u, 1'000u, 5'461u, 100'000u}) {
        support::counting_pages pages;
        pool_resource pool{small, n, &pages};
        EXPECT_EQ(pool.capacity(), n);
        auto all = take(pool, n);
        EXPECT_EQ(pages.calls(), 1u) << "all of it is asked for at once";
        EXPECT_EQ(std::set<void*>(all.begin(), all.end()).size(), n);
        for (int i = 0; i < 3; ++i) {
            EXPECT_EQ(pool.try_allocate(), nullptr);
            EXPECT_EQ(pool.usage().largest_hole_bytes, 0u);
            pool.deallocate(all[n / 2]);
            EXPECT_EQ(pool.usage().largest_hole_bytes, 48u);
            all[n / 2] = pool.try_allocate();
            ASSERT_NE(all[n / 2], nullptr);
        }
        const auto freed = give_random_half(pool, all);
        const auto again = take(pool, freed.size());
        EXPECT_EQ(pool.try_allocate(), nullptr);
        give(pool, all);
        give(pool, again);
        EXPECT_EQ(pages.calls(), 1u);
    }
}

TEST(pool_resource, the_last_free_slots_are_found_wherever_they_are) {
    support::counting_pages pages;
    pages.lend_at_most(5_MiB);
    pool_resource pool{small, &pages};
    std::vector<void*> all;
    for (void* p = nullptr; (p = pool.try_allocate()) != nullptr;)
        all.push_back(p);
    std::mt19937 random{9};
    std::shuffle(all.begin(), all.end(), random);
    const std::size_t few = all.size() / 100;
    for (std::size_t i = 0; i < few; ++i)
        pool.deallocate(all[i]);
    for (std::size_t i = 0; i < few; ++i) {
        all[i] = pool.try_allocate();
        ASSERT_NE(all[i], nullptr) << i;
    }
    EXPECT_EQ(pool.try_allocate(), nullptr);
    give(pool, all);
}

TEST(pool_resource, memory_of_a_fixed_number_stays_until_trim) {
    support::counting_pages pages;
    pool_resource pool{small, pool_options{.slots = 100'000, .policy = return_policy::return_all},
                       &pages};
    give(pool, take(pool, 100'000));
    pool.for_each([](void*) { ADD_FAILURE(); }); // nothing is hot any more
    EXPECT_EQ(pages.live(), 1u);
    pool.trim();
    EXPECT_EQ(pages.live(), 0u);
    give(pool, take(pool, 100'000));
    EXPECT_EQ(pages.calls(), 2u);
}

TEST(pool_resource, no_slots_at_all_serve_nothing) {
    support::counting_pages pages;
    pool_resource pool{small, 0, &pages};
    EXPECT_EQ(pool.capacity(), 0u);
    EXPECT_EQ(pool.try_allocate(), nullptr);
    EXPECT_EQ(pool.try_allocate(1'000), nullptr);
    EXPECT_EQ(pages.calls(), 0u);
#if ARENITE_EXCEPTIONS
    EXPECT_THROW(static_cast<void>(pool.allocate()), out_of_memory);
#endif
}

TEST(pool_resource, a_number_of_slots_beyond_the_address_space_is_served_as_far_as_it_goes) {
    pool_resource pool{small, std::numeric_limits<std::size_t>::max() / 2};
    void* const p = pool.try_allocate();
    ASSERT_NE(p, nullptr);
    pool.deallocate(p);
}

TEST(pool_resource, serves_from_memory_of_the_users) {
    alignas(64) std::byte buffer[10'000];
    for (const std::size_t offset : {0u, 1u, 63u}) {
        pool_resource pool{slot{24, 8}, std::span{buffer}.subspan(offset)};
        const std::size_t n = pool.capacity();
        EXPECT_GE(n, (sizeof buffer - offset - 64 - 64 - 64) / 25);
        auto all = take(pool, n);
        EXPECT_EQ(pool.try_allocate(), nullptr);
        for (void* p : all) {
            EXPECT_GE(bytes_at(p), buffer + offset);
            EXPECT_LE(bytes_at(p) + 24, buffer + sizeof buffer);
            EXPECT_TRUE(pool.owns(p));
        }
        const auto freed = give_random_half(pool, all);
        EXPECT_EQ(pool.usage().live_allocations, all.size());
        const auto again = take(pool, freed.size());
        EXPECT_EQ(pool.try_allocate(), nullptr);
        pool.trim();
        give(pool, again);
        give(pool, all);
    }
}

TEST(pool_resource, a_buffer_too_small_for_one_slot_serves_nothing) {
    alignas(64) std::byte buffer[200];
    for (std::size_t bytes = 0; bytes <= sizeof buffer; ++bytes) {
        pool_resource pool{slot{48, 16}, std::span{buffer}.first(bytes)};
        EXPECT_EQ(pool.capacity(), bytes < 128 ? 0u : (bytes - 80) / 48) << bytes;
        EXPECT_EQ(pool.try_allocate() != nullptr, pool.capacity() != 0) << bytes;
        if (pool.capacity() != 0)
            pool.for_each([&](void* p) { pool.deallocate(p); });
    }
}

// ---- requests that are no slots -----------------------------------------------------------------

TEST(pool_resource, smaller_requests_get_a_slot) {
    pool_resource pool{small};
    void* const a = pool.allocate(1, 1);
    void* const b = pool.allocate(48);
    void* const c = pool.allocate(0, 4);
    EXPECT_EQ(bytes_at(b), bytes_at(a) + 48);
    EXPECT_EQ(bytes_at(c), bytes_at(b) + 48);
    pool.deallocate(a, 1, 1);
    pool.deallocate(b, 48);
    pool.deallocate(c, 0, 4);
    EXPECT_EQ(pool.usage().bytes_in_use, 0u);
}

TEST(pool_resource, larger_requests_are_served_apart_and_counted) {
    support::counting_pages pages;
    pool_resource pool{small, &pages};
    void* const p = pool.allocate(10'000, 16);
    void* const q = pool.allocate(16, 256);
    std::memset(p, 1, 10'000);
    EXPECT_TRUE(is_aligned(q, 256));
    EXPECT_GE(pool.usage().bytes_in_use, 10'016u);
    EXPECT_EQ(pool.usage().live_allocations, 2u);
    pool.deallocate(p, 10'000, 16);
    pool.deallocate(q, 16, 256);
    EXPECT_EQ(pool.usage().bytes_in_use, 0u);
    pool.trim();
    EXPECT_EQ(pages.live(), 0u);
}

TEST(pool_resource, serves_containers_that_ask_for_nodes_and_arrays) {
    pool_resource pool{slot{64, 16}};
    {
        std::pmr::unordered_map<int, int> map{&pool};
        for (int i = 0; i < 10'000; ++i)
            map.emplace(i, i);
        for (int i = 0; i < 10'000; i += 3)
            map.erase(i);
        EXPECT_EQ(map.size(), 6'666u);
    }
    EXPECT_EQ(pool.usage().live_allocations, 0u);
}

// ---- visiting -----------------------------------------------------------------------------------

TEST(pool_resource, visits_what_is_alive_in_address_order) {
    pool_resource pool{slot::of<std::uint64_t>()};
    std::vector<std::uint64_t*> all;
    for (std::uint64_t i = 0; i < 100'000; ++i)
        all.push_back(create<std::uint64_t>(pool, i));
    std::set<std::uint64_t> expected;
    std::mt19937 random{3};
    for (std::uint64_t* p : all) {
        if (random() % 10 == 0)
            expected.insert(*p);
        else
            destroy(pool, p);
    }
    std::vector<std::uint64_t> seen;
    pool.for_each<std::uint64_t>([&](std::uint64_t& x) { seen.push_back(x); });
    EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
    EXPECT_EQ(std::set<std::uint64_t>(seen.begin(), seen.end()), expected);
    pool.for_each([&](void* p) { pool.deallocate(p); });
    EXPECT_EQ(pool.usage().live_allocations, 0u);
}

TEST(pool_resource, visiting_an_empty_pool_calls_nobody) {
    pool_resource pool{small};
    pool.for_each([](void*) { ADD_FAILURE(); });
    pool.deallocate(pool.allocate());
    pool.for_each([](void*) { ADD_FAILURE(); });
}

TEST(pool_resource, what_is_visited_may_be_freed) {
    support::counting_pages pages;
    pool_resource pool{small, pool_options{.policy = return_policy::return_all}, &pages};
    take(pool, 200'000);
    std::size_t seen = 0;
    pool.for_each([&](void* p) {
        ++seen;
        pool.deallocate(p);
    });
    EXPECT_EQ(seen, 200'000u);
    EXPECT_EQ(pool.usage().live_allocations, 0u);
    pool.for_each([](void*) { ADD_FAILURE(); });
    pool.trim();
    EXPECT_EQ(pages.live(), 0u);
}

TEST(pool_resource, a_visit_may_allocate_and_visit_again) {
    pool_resource pool{small};
    take(pool, 1'000);
    std::size_t inner = 0;
    pool.for_each([&](void*) {
        if (inner == 0) {
            pool.for_each([&](void*) { ++inner; });
            take(pool, 10'000);
        }
    });
    EXPECT_EQ(inner, 1'000u);
    EXPECT_EQ(pool.usage().live_allocations, 11'000u);
    pool.for_each([&](void* p) { pool.deallocate(p); });
}

} // namespace
