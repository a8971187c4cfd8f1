// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Large objects of a heap that lie side by side in spans.
#include <arenite/core/alignment.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/ordered/ordered_heap.hpp>
#include <arenite/os/detail/platform.hpp>
#include <arenite/os/page_resource.hpp>

#include <gtest/gtest.h>

#include "support/build_mode.hpp"
#include "support/counting_pages.hpp"
#include "support/region_list.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <random>
#include <vector>

using namespace arenite;
using support::counting_pages;
using support::region_list;

namespace {

struct object {
    std::byte* p;
    std::size_t bytes;
    std::size_t alignment;
};

std::byte mark(const object& o) { return static_cast<std::byte>(o.bytes * 31 + address_of(o.p)); }

void fill(const object& o) { std::memset(o.p, static_cast<int>(mark(o)), o.bytes); }

bool is_filled(const object& o) {
    return std::all_of(o.p, o.p + o.bytes, [&](std::byte b) { return b == mark(o); });
}

} // namespace

TEST(ordered_heap_shared_large, lie_dense_once_the_heap_is_not_small) {
    counting_pages pages;
    for (const std::size_t bytes : {64_KiB + 1, 100'000_B, 139'280_B, 200'000_B, 250'000_B}) {
        ordered_heap heap{pages};
        std::vector<object> all;
        for (int i = 0; i < 120; ++i) {
            all.push_back({static_cast<std::byte*>(heap.allocate(bytes)), bytes, 16});
            fill(all.back());
        }
        const auto live = static_cast<double>(all.size() * bytes);
        EXPECT_LE(static_cast<double>(pages.resident_bytes()), 1.06 * live) << bytes;
        EXPECT_LE(pages.live(), 40u) << "instead of a request for each";
        for (const object& o : all) {
            ASSERT_TRUE(is_filled(o));
            heap.deallocate(o.p, o.bytes, o.alignment);
        }
        EXPECT_EQ(heap.usage().bytes_in_use, 0u);
    }
}

TEST(ordered_heap_shared_large, those_of_a_power_of_two_take_no_more_than_others) {
    for (const std::size_t bytes : {256_KiB, 512_KiB, 1_MiB}) {
        ordered_heap heap;
        std::vector<void*> all(160_MiB / bytes);
        for (void*& p : all)
            p = heap.allocate(bytes);
        const auto live = static_cast<double>(all.size() * bytes);
        EXPECT_LE(static_cast<double>(heap.usage().bytes_reserved), 1.08 * live) << bytes;
        for (void* p : all)
            heap.deallocate(p, bytes);
    }
}

TEST(ordered_heap_shared_large, a_small_heap_asks_for_each) {
    counting_pages pages;
    ordered_heap heap{pages};
    void* const p = heap.allocate(200'000);
    EXPECT_LE(heap.usage().bytes_reserved, 256_KiB);
    heap.deallocate(p, 200'000);
}

TEST(ordered_heap_shared_large, their_memory_goes_back_with_the_last_and_by_trim) {
    counting_pages pages;
    ordered_heap heap{pages};
    std::vector<void*> all;
    for (int i = 0; i < 200; ++i)
        all.push_back(std::memset(heap.allocate(150'000), 1, 150'000));
    for (std::size_t i = 0; i < all.size(); ++i)
        if (i % 10 != 0)
            heap.deallocate(all[i], 150'000);
    heap.trim();
    EXPECT_LE(pages.resident_bytes(), 20 * 160'000u + 64_KiB);
    for (std::size_t i = 0; i < all.size(); i += 10)
        heap.deallocate(all[i], 150'000);
    heap.trim();
    EXPECT_EQ(pages.resident_bytes(), 0u);
}

TEST(ordered_heap_shared_large, are_listed_with_all_that_is_around_them) {
    ordered_heap heap;
    std::vector<void*> all;
    for (int i = 0; i < 30; ++i)
        all.push_back(heap.allocate(150'000));
    for (std::size_t i = 7; i < 20; i += 3)
        heap.deallocate(all[i], 150'000);
    const region_list l{heap};
    std::size_t sum = 0;
    for (const region& r : l.all())
        sum += r.bytes;
    EXPECT_EQ(sum, heap.usage().bytes_reserved);
    EXPECT_EQ(l.count(region_state::used), 25u);
    EXPECT_EQ(l.bytes(region_state::used), 25 * 150'000u);
    for (std::size_t i = 0; i < all.size(); ++i)
        if (i < 7 || i >= 20 || (i - 7) % 3 != 0)
            heap.deallocate(all[i], 150'000);
}

TEST(ordered_heap_shared_large, a_heap_may_end_while_they_live) {
    counting_pages pages;
    {
        ordered_heap heap{pages};
        for (int i = 0; i < 100; ++i)
            std::memset(heap.allocate(70'000 + static_cast<std::size_t>(i) * 9'000), 1, 70'000);
        heap.reset();
        EXPECT_EQ(heap.usage().bytes_in_use, 0u);
        for (int i = 0; i < 100; ++i)
            std::memset(heap.allocate(70'000 + static_cast<std::size_t>(i) * 9'000), 1, 70'000);
        heap.reset();
    }
    EXPECT_EQ(pages.live_bytes(), 0u);
}

TEST(ordered_heap_shared_large, keep_their_contents_among_all_others) {
    constexpr unsigned seed = 4711;
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937_64 engine{seed};
    const auto below = [&](std::size_t n) { return static_cast<std::size_t>(engine() % n); };
    counting_pages pages;
    ordered_heap heap{pages};
    std::vector<object> all;
    for (int step = 0; step < 4'000; ++step) {
        if (all.size() < 100 || (all.size() < 250 && below(2) == 0)) {
            const std::size_t bytes = below(4) == 0
                                          ? 1 + below(60'000)
                                          : 62'000 + below(std::size_t{1} << (14 + below(7)));
            const std::size_t alignment = std::size_t{1} << below(14);
            all.push_back(
                {static_cast<std::byte*>(heap.allocate(bytes, alignment)), bytes, alignment});
            ASSERT_TRUE(is_aligned(all.back().p, alignment));
            fill(all.back());
            continue;
        }
        object& o = all[below(all.size())];
        ASSERT_TRUE(is_filled(o)) << step;
        const std::size_t now = 62'000 + below(400'000);
        if (o.bytes > 70'000 && below(4) == 0 && heap.try_resize(o.p, o.bytes, now, o.alignment)) {
            o.bytes = now;
            fill(o);
            continue;
        }
        heap.deallocate(o.p, o.bytes, o.alignment);
        o = all.back();
        all.pop_back();
    }
    for (const object& o : all) {
        ASSERT_TRUE(is_filled(o));
        heap.deallocate(o.p, o.bytes, o.alignment);
    }
    EXPECT_EQ(heap.usage().live_allocations, 0u);
}

TEST(ordered_heap_shared_large_death, what_is_freed_twice_or_within_is_found) {
    ordered_heap heap;
    std::vector<std::byte*> all;
    for (int i = 0; i < 20; ++i)
        all.push_back(static_cast<std::byte*>(heap.allocate(150'000)));
    EXPECT_DEATH(heap.deallocate(all[15] + 64_KiB, 150'000), "not to its begin");
    EXPECT_DEATH(heap.deallocate(all[15], 140'000), "150000");
    EXPECT_DEATH((heap.deallocate(all[15], 150'000), heap.deallocate(all[15], 150'000)), "freed");
    for (std::byte* const p : all)
        heap.deallocate(p, 150'000);
}
