// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/pool/suballocator_resource.hpp>

#include <arenite/check/detail/poison.hpp>
#include <arenite/check/leak.hpp>
#include <arenite/check/passthrough.hpp>
#include <arenite/core/concepts.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/os/detail/platform.hpp>

#include <gtest/gtest.h>

#include "pool/pool_test.hpp"
#include "support/addresses.hpp"
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

static_assert(Allocating<suballocator_resource>);
static_assert(Owning<suballocator_resource>);
static_assert(Trimmable<suballocator_resource>);
static_assert(Measurable<suballocator_resource>);
static_assert(Mappable<suballocator_resource>);
static_assert(sizeof(suballocator_resource) <= 2560);

namespace {

constexpr slot small{.bytes = 24, .alignment = 8};

/// An upstream that hands out what it is asked for from below, so that addresses rise; it remembers
/// the requests.
class rising_resource final : public resource_base<rising_resource> {
public:
    [[nodiscard]] void* try_allocate(std::size_t bytes,
                                     std::size_t alignment = default_alignment) noexcept {
        if (refuses)
            return nullptr;
        void* const p = pages_.try_allocate(bytes, alignment);
        requests.push_back(bytes);
        return p;
    }
    void deallocate(void* p, std::size_t bytes,
                    std::size_t alignment = default_alignment) noexcept {
        ++returned;
        pages_.deallocate(p, bytes, alignment);
    }

    bool refuses = false;
    std::vector<std::size_t> requests;
    std::size_t returned = 0;

private:
    page_resource pages_{
        page_options{.reserve_bytes = support::gib_or(4, 256_MiB), .huge = huge_pages::never}};
};

// ---- rows ---------------------------------------------------------------------------------------

TEST(suballocator_resource, rows_double_up_to_their_largest_size) {
    support::counting_resource up;
    suballocator_resource r{small, suballocator_options{.row_bytes = 16_KiB}, &up};
    if (passthrough())
        GTEST_SKIP() << "memory comes from malloc";
    std::vector<void*> all;
    std::size_t capacity = 0;
    for (std::size_t row = 0; row < 8; ++row) { // 1, 2, 4 ... 128
        EXPECT_EQ(r.row_count(), row);
        EXPECT_EQ(r.slot_count(), capacity);
        const auto more = take(r, std::size_t{1} << row);
        all.insert(all.end(), more.begin(), more.end());
        capacity += std::size_t{1} << row;
        EXPECT_EQ(r.slot_count(), capacity);
    }
    while (r.slot_count() < 20'000)
        all.push_back(r.allocate());
    EXPECT_GT(r.row_count(), 8u + 20u); // then all of 16 KiB
    EXPECT_LT(r.usage().bytes_reserved, r.slot_count() * 26 + 16_KiB);
    give(r, all);
}

TEST(suballocator_resource, rows_in_pages_begin_with_64_kib_and_end_as_huge_pages) {
    support::counting_pages pages;
    suballocator_resource r{small, &pages};
    if (passthrough())
        GTEST_SKIP() << "memory comes from malloc";
    std::vector<void*> all = take(r, 600'000);
    ASSERT_GE(pages.requests().size(), 8u);
    EXPECT_EQ(pages.requests()[0].bytes, 64_KiB);
    std::size_t huge = 0;
    for (const auto& request : pages.requests()) {
        EXPECT_LE(request.bytes, 2_MiB);
        huge += request.bytes == 2_MiB ? 1u : 0u;
    }
    EXPECT_GE(huge, 5u);
    // 24 bytes and a bit each, colours, and the rest of the last row.
    EXPECT_LT(r.usage().bytes_reserved, 600'000 * 246 / 10 + 2_MiB);
    give(r, all);
}

TEST(suballocator_resource, slots_take_their_size_and_nothing_else) {
    for (const slot s : {slot{1, 1}, slot{3, 1}, slot{20, 4}, slot{24, 8}, slot{48, 16},
                         slot{100, 4}, slot{256, 16}, slot{4096, 64}, slot{33, 32}, slot{0, 1}}) {
        suballocator_resource r{s};
        const std::size_t rounded =
            std::max<std::size_t>(1, (s.bytes + s.alignment - 1) / s.alignment * s.alignment);
        EXPECT_EQ(r.slot_bytes(), rounded);
        if (passthrough())
            continue;
        const auto all = take(r, 8);
        for (std::size_t i = 0; i < all.size(); ++i)
            EXPECT_EQ(all[i], bytes_at(all[0]) + i * rounded) << s.bytes;
        give(r, all);
    }
}

TEST(suballocator_resource, every_alignment_is_honoured_in_every_row) {
    for (const std::size_t alignment : {1u, 8u, 16u, 64u, 128u, 4096u, 65536u}) {
        support::counting_resource up;
        suballocator_resource r{slot{24, alignment}, &up};
        const auto all = take(r, 100);
        for (void* p : all) {
            EXPECT_TRUE(is_aligned(p, alignment)) << alignment;
            std::memset(p, 1, 24);
        }
        give(r, all);
    }
}

TEST(suballocator_resource, a_slot_that_cannot_be_fails_at_each_request_and_asks_nobody) {
    support::counting_resource up;
    for (const slot s : {slot{std::numeric_limits<std::size_t>::max(), 1}, slot{2_GiB, 16},
                         slot{std::numeric_limits<std::size_t>::max() - 8, 16},
                         slot{16, support::largest_power / 2}}) {
        suballocator_resource r{s, &up};
        EXPECT_EQ(r.try_allocate(), nullptr);
        EXPECT_EQ(r.usage(), arenite::usage{});
    }
    EXPECT_EQ(up.calls(), 0u);
}

TEST(suballocator_resource, slots_larger_than_a_row_have_rows_of_their_own) {
    suballocator_resource r{slot{5_MiB, 64}};
    const auto all = take(r, 3);
    for (void* p : all)
        bytes_at(p)[5_MiB - 1] = std::byte{1};
    give(r, all);
    EXPECT_EQ(r.usage().bytes_in_use, 0u);
}

// ---- the order ----------------------------------------------------------------------------------

TEST(suballocator_resource, fresh_slots_come_in_address_order) {
    if (passthrough())
        GTEST_SKIP() << "memory comes from malloc";
    suballocator_resource r{small};
    const auto all = take(r, 500'000);
    EXPECT_LE(descents(all), 1u);
    give(r, all);
}

TEST(suballocator_resource, the_slot_freed_last_comes_first) {
    if (every_call_is_careful || passthrough())
        GTEST_SKIP() << "there the lowest comes first";
    suballocator_resource r{small};
    const auto all = take(r, 1000);
    r.deallocate(all[500]);
    r.deallocate(all[100]);
    EXPECT_EQ(r.allocate(), all[100]);
    EXPECT_EQ(r.allocate(), all[500]);
    give(r, all);
}

TEST(suballocator_resource, what_was_freed_at_random_comes_back_in_address_order) {
    if (passthrough())
        GTEST_SKIP() << "memory comes from malloc";
    suballocator_resource r{small};
    auto all = take(r, 300'000);
    const auto lowest = *std::min_element(all.begin(), all.end());
    const auto highest = *std::max_element(all.begin(), all.end());
    give_but(r, all, 150'000);
    const auto again = take(r, 150'000);
    EXPECT_LT(descents(again), 150'000u / 100);
    EXPECT_GE(*std::min_element(again.begin(), again.end()), lowest);
    EXPECT_LE(*std::max_element(again.begin(), again.end()),
              static_cast<void*>(bytes_at(highest) + 16_KiB)); // what was at hand before
    give(r, again);
    give(r, all);
}

/// Seed 4 takes the smallest row first, wherever it lies. Here those of full size come by address,
/// and all by the tower where the upstream hands out upward.
TEST(suballocator_resource, strictly_the_lowest_where_that_is_wanted) {
    if (passthrough())
        GTEST_SKIP() << "memory comes from malloc";
    rising_resource up;
    suballocator_resource r{
        small, suballocator_options{.row_bytes = 1_MiB, .order = slot_order::lowest}, &up};
    auto all = take(r, 30'000);
    ASSERT_EQ(descents(all), 0u);
    std::vector<void*> freed;
    std::mt19937 random{5};
    for (int round = 0; round < 1000; ++round) {
        for (int k = 0; k < 3; ++k) {
            const std::size_t i = random() % all.size();
            if (all[i] == nullptr)
                continue;
            r.deallocate(all[i]);
            freed.push_back(std::exchange(all[i], nullptr));
        }
        if (round % 3 != 0)
            continue;
        const auto lowest = std::min_element(freed.begin(), freed.end());
        void* const p = r.allocate();
        ASSERT_EQ(p, *lowest);
        freed.erase(lowest);
        *std::find(all.begin(), all.end(), nullptr) = p;
    }
    std::erase(all, nullptr);
    give(r, all);
}

TEST(suballocator_resource, rows_of_full_size_come_by_address_wherever_the_upstream_puts_them) {
    if (passthrough())
        GTEST_SKIP() << "memory comes from malloc";
    support::counting_resource up; // malloc: mappings come downward
    suballocator_resource r{
        small, suballocator_options{.row_bytes = 1_MiB, .order = slot_order::lowest}, &up};
    auto all = take(r, 400'000);
    give_but(r, all, 0);
    r.trim();
    EXPECT_EQ(up.live(), 0u);
    all = take(r, 400'000);
    std::vector<void*> large(all.begin() + 100'000, all.end());
    for (void* p : large)
        r.deallocate(p);
    large = take(r, 300'000);
    EXPECT_LE(descents(large), 16u); // the small rows first
    give(r, large);
    all.resize(100'000);
    give(r, all);
}

// ---- from pointer to row ------------------------------------------------------------------------

TEST(suballocator_resource, slots_are_found_in_any_number_of_rows) {
    for (const bool on_pages : {false, true}) {
        support::counting_resource up;
        suballocator_resource r{small, suballocator_options{.row_bytes = on_pages ? 2_MiB : 4_KiB},
                                on_pages ? upstream{&page_source()} : upstream{&up}};
        auto all = take(r, 200'000);
        for (std::size_t i = 0; i < all.size(); ++i)
            std::memcpy(all[i], &i, sizeof(i));
        for (std::size_t i = 0; i < all.size(); i += 7)
            ASSERT_TRUE(r.owns(all[i]));
        std::vector<std::size_t> order(all.size());
        for (std::size_t i = 0; i < order.size(); ++i)
            order[i] = i;
        std::mt19937 random{9};
        std::shuffle(order.begin(), order.end(), random);
        for (const std::size_t i : order) {
            std::size_t found = 0;
            std::memcpy(&found, all[i], sizeof(found));
            ASSERT_EQ(found, i);
            r.deallocate(all[i]);
        }
        EXPECT_EQ(r.usage().live_allocations, 0u);
    }
}

TEST(suballocator_resource, owns_its_slots_and_nothing_else) {
    suballocator_resource a{small}, b{small};
    const auto mine = take(a, 10'000), others = take(b, 10'000);
    int local = 0;
    EXPECT_TRUE(a.owns(mine[9'999]));
    EXPECT_FALSE(a.owns(others[0]));
    EXPECT_FALSE(a.owns(&local));
    EXPECT_FALSE(a.owns(nullptr));
    give(a, mine);
    give(b, others);
}

} // namespace
