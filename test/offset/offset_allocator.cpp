// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/core/literals.hpp>
#include <arenite/offset/offset_allocator.hpp>
#include <arenite/report/memory_map.hpp>

#include <gtest/gtest.h>

#include "support/counting_resource.hpp"
#include "support/region_list.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

using namespace arenite;

namespace {

constexpr std::uint64_t huge = std::numeric_limits<std::uint64_t>::max();

TEST(offset_allocator, parts_lie_side_by_side_and_holes_join) {
    offset_allocator gpu{1000};
    const auto a = gpu.try_allocate(100);
    const auto b = gpu.try_allocate(200);
    const auto c = gpu.try_allocate(300);
    ASSERT_TRUE(a && b && c);
    EXPECT_EQ(a->offset, 0u);
    EXPECT_EQ(b->offset, 100u);
    EXPECT_EQ(c->offset, 300u);
    EXPECT_EQ(gpu.largest_free(), 400u);
    gpu.deallocate(*b);
    EXPECT_DOUBLE_EQ(gpu.fragmentation(), 1 - 400.0 / 600);
    gpu.deallocate(*a);
    EXPECT_EQ(gpu.try_allocate(300)->offset, 0u) << "two holes are one";
    gpu.deallocate(*c);
    EXPECT_EQ(gpu.largest_free(), 700u);
    EXPECT_DOUBLE_EQ(gpu.fragmentation(), 0);
}

TEST(offset_allocator, nothing_is_asked_of_the_upstream_before_the_first_request) {
    support::counting_resource up;
    offset_allocator gpu{1_GiB, &up};
    EXPECT_EQ(gpu.largest_free(), 1_GiB);
    EXPECT_EQ(gpu.free_bytes(), 1_GiB);
    EXPECT_TRUE(gpu.grow(1_GiB));
    EXPECT_EQ(up.calls(), 0u);
    EXPECT_TRUE(gpu.try_allocate(2_GiB));
    EXPECT_EQ(up.live_bytes(), gpu.bookkeeping_bytes());
}

// Strides of vertices: offsets are to be whole vertices.
TEST(offset_allocator, alignment_is_any_number) {
    offset_allocator gpu{100'000, {.granularity = 4}};
    for (const std::uint64_t alignment : {1u, 3u, 12u, 20u, 36u, 256u, 4096u, 5000u}) {
        const auto a = gpu.try_allocate(10, alignment);
        ASSERT_TRUE(a);
        EXPECT_EQ(a->offset % alignment, 0u);
        EXPECT_EQ(a->offset % 4, 0u);
        EXPECT_EQ(a->bytes, 12u);
    }
    EXPECT_FALSE(gpu.try_allocate(10, 0)) << "but 0 is none";
    EXPECT_FALSE(gpu.try_allocate(10, huge)) << "0 alone is a multiple, and taken";
    gpu.clear();
    EXPECT_EQ(gpu.try_allocate(10, huge)->offset, 0u);
}

// Every size down from all that is free, at every fill, is served as long as a hole has it.
TEST(offset_allocator, what_fits_exactly_never_fails) {
    for (std::uint64_t n = 1; n <= 300; ++n) {
        for (std::uint64_t first = 0; first < n; first += 1 + n / 8) {
            offset_allocator gpu{n};
            std::optional<offset_allocation> before;
            if (first != 0)
                before = gpu.try_allocate(first);
            const auto rest = gpu.try_allocate(n - first);
            ASSERT_TRUE(rest) << n - first << " of " << n << " are free";
            EXPECT_EQ(rest->offset, first);
            EXPECT_EQ(gpu.free_bytes(), 0u);
            EXPECT_FALSE(gpu.try_allocate(1));
            gpu.deallocate(*rest);
            if (before)
                gpu.deallocate(*before);
            EXPECT_TRUE(gpu.try_allocate(n));
        }
    }
    // Many holes of the request's own bin, and one that is long enough among them.
    for (std::uint64_t right = 0; right < 40; ++right) {
        offset_allocator gpu{1_MiB};
        std::vector<offset_allocation> holes;
        for (std::uint64_t i = 0; i < 40; ++i) {
            holes.push_back(*gpu.try_allocate(i == right ? 6463 : 6400));
            static_cast<void>(gpu.try_allocate(1));
        }
        static_cast<void>(gpu.try_allocate(gpu.largest_free()));
        for (const offset_allocation& a : holes)
            gpu.deallocate(a);
        EXPECT_TRUE(gpu.try_allocate(6463)) << right;
        EXPECT_FALSE(gpu.try_allocate(6463));
    }
}

TEST(offset_allocator, there_are_as_many_allocations_as_granules) {
    offset_allocator gpu{4096, {.granularity = 16}};
    std::vector<offset_allocation> all;
    while (const auto a = gpu.try_allocate(0))
        all.push_back(*a);
    EXPECT_EQ(all.size(), 256u);
    EXPECT_EQ(gpu.usage().bytes_in_use, 4096u);
    for (std::size_t i = 0; i < all.size(); i += 2)
        gpu.deallocate(all[i]);
    EXPECT_FALSE(gpu.try_allocate(17));
    EXPECT_EQ(gpu.largest_free(), 16u);
    for (std::size_t i = 1; i < all.size(); i += 2)
        gpu.deallocate(all[i]);
    EXPECT_EQ(gpu.largest_free(), 4096u);
}

TEST(offset_allocator, sizes_that_cannot_be_served_are_refused) {
    offset_allocator gpu{1_GiB, {.granularity = 256}};
    for (const std::uint64_t bytes : {huge, huge - 255, huge / 2 + 1, std::uint64_t{1_GiB} + 1}) {
        for (const std::uint64_t alignment :
             {std::uint64_t{1}, huge, huge / 2 + 1, std::uint64_t{3}})
            EXPECT_FALSE(gpu.try_allocate(bytes, alignment));
    }
    EXPECT_EQ(gpu.bookkeeping_bytes(), 0u);
    EXPECT_TRUE(gpu.try_allocate(1_GiB));
    offset_allocator none{0};
    EXPECT_FALSE(none.try_allocate(0));
    EXPECT_EQ(none.shrink(), 0u);
    EXPECT_TRUE(none.grow(10));
    EXPECT_TRUE(none.try_allocate(10));
    offset_allocator odd{1000, {.granularity = 256}};
    EXPECT_EQ(odd.free_bytes(), 768u) << "the rest is unused";
    EXPECT_EQ(odd.capacity(), 1000u);
    EXPECT_TRUE(odd.grow(24)) << "and is used once it is a granule";
    EXPECT_TRUE(odd.try_allocate(1024));
}

TEST(offset_allocator, a_range_of_2_to_the_63_bytes_is_served) {
    offset_allocator gpu{std::uint64_t{1} << 62, {.granularity = 65'536}};
    const auto all = gpu.try_allocate(std::uint64_t{1} << 62, std::uint64_t{1} << 40);
    ASSERT_TRUE(all);
    EXPECT_EQ(all->bytes, std::uint64_t{1} << 62);
    EXPECT_FALSE(gpu.grow(huge));
    EXPECT_TRUE(gpu.grow(std::uint64_t{1} << 62));
    const auto second = gpu.try_allocate(std::uint64_t{1} << 62);
    ASSERT_TRUE(second);
    EXPECT_EQ(second->offset, std::uint64_t{1} << 62);
    EXPECT_FALSE(gpu.grow(65'536)) << "2^47 granules are the limit";
}

TEST(offset_allocator, what_lives_short_comes_from_the_other_end) {
    offset_allocator gpu{1000};
    const auto high = gpu.try_allocate(101, 10, {.placement = offset_placement::high});
    EXPECT_EQ(high->offset, 890u);
    EXPECT_EQ(gpu.try_allocate(100)->offset, 0u);
    EXPECT_EQ(gpu.try_allocate(9, 1, {.placement = offset_placement::high})->offset, 991u);
    EXPECT_EQ(gpu.try_allocate(9, 1, {.placement = offset_placement::high})->offset, 881u);
}

// bufferImageGranularity: the one in front and the one behind.
TEST(offset_allocator, kinds_do_not_touch_one_page) {
    const request_options image{.kind = offset_kind::optimal};
    offset_allocator gpu{4096, {.conflict_page = 256}};
    const auto buffer = gpu.try_allocate(100);
    const auto picture = gpu.try_allocate(100, 1, image);
    EXPECT_EQ(picture->offset, 256u) << "not in the page of the buffer before it";
    EXPECT_EQ(gpu.try_allocate(100)->offset, 100u) << "the same kind may";
    const auto last = gpu.try_allocate(100);
    EXPECT_EQ(last->offset, 512u)
        << "56 bytes are left before the picture, and its page is its own";
    gpu.deallocate(*picture);
    EXPECT_EQ(gpu.try_allocate(257, 1, image)->offset, 768u)
        << "between the buffers is one page, and a byte more would meet the one behind";
    EXPECT_EQ(gpu.try_allocate(256, 1, image)->offset, 256u);
    gpu.deallocate(*buffer);
}

TEST(offset_allocator, sizes_change_in_place) {
    offset_allocator gpu{1000};
    auto a = *gpu.try_allocate(100);
    auto b = *gpu.try_allocate(100);
    const offset_allocation old = b;
    EXPECT_FALSE(gpu.try_resize(a, 101));
    EXPECT_TRUE(gpu.try_resize(b, 900));
    EXPECT_EQ(b.bytes, 900u);
    EXPECT_FALSE(gpu.is_live(old)) << "it has another size";
    EXPECT_FALSE(gpu.try_resize(b, 901));
    EXPECT_FALSE(gpu.try_resize(b, huge));
    EXPECT_TRUE(gpu.try_resize(b, 0));
    EXPECT_EQ(b.bytes, 1u);
    EXPECT_EQ(gpu.free_bytes(), 899u);
    gpu.deallocate(b);
    EXPECT_TRUE(gpu.try_resize(a, 1000));
    gpu.deallocate(a);
    EXPECT_EQ(gpu.largest_free(), 1000u);
}

TEST(offset_allocator, growth_for_is_the_least_by_which_a_request_fits) {
    const request_options optimal{.kind = offset_kind::optimal};
    const request_options high{.placement = offset_placement::high};
    for (const std::uint64_t capacity : {0u, 7u, 4000u, 4096u}) {
        for (const bool end_in_use : {false, true}) {
            for (const std::uint64_t alignment : {1u, 36u, 256u, 5000u}) {
                for (const request_options& options : {request_options{}, optimal, high}) {
                    offset_allocator gpu{capacity, {.granularity = 4, .conflict_page = 1024}};
                    if (end_in_use)
                        while (gpu.try_allocate(4)) {
                        }
                    const auto by = gpu.growth_for(500, alignment, options);
                    ASSERT_TRUE(by);
                    if (*by == 0) {
                        EXPECT_TRUE(gpu.try_allocate(500, alignment, options));
                        continue;
                    }
                    ASSERT_TRUE(gpu.grow(*by - 1));
                    EXPECT_FALSE(gpu.try_allocate(500, alignment, options));
                    EXPECT_EQ(gpu.growth_for(500, alignment, options), 1u);
                    ASSERT_TRUE(gpu.grow(1));
                    EXPECT_TRUE(gpu.try_allocate(500, alignment, options));
                }
            }
        }
    }
    offset_allocator gpu{1000};
    EXPECT_EQ(gpu.growth_for(1000), 0u);
    EXPECT_EQ(gpu.growth_for(1, 0), std::nullopt);
    EXPECT_EQ(gpu.growth_for(huge), std::nullopt);
    EXPECT_EQ(gpu.growth_for(1, huge), 0u) << "at offset 0";
    ASSERT_TRUE(gpu.try_allocate(1));
    EXPECT_EQ(gpu.growth_for(1, huge), std::nullopt);
    offset_allocator apart{1000, {.conflict_page = std::uint64_t{1} << 63}};
    ASSERT_TRUE(apart.try_allocate(1));
    EXPECT_EQ(apart.growth_for(1, 1, optimal), std::nullopt) << "no second page";
}

// A part that is made anew each frame, while somebody keeps a copy from long ago: a node that was
// used as often as it can count takes no more part in it.
TEST(offset_allocator, a_stale_allocation_stays_stale_however_often_its_place_is_used) {
    for (const bool beside_others : {false, true}) {
        SCOPED_TRACE(beside_others);
        support::counting_resource up;
        offset_allocator gpu{300, &up};
        if (beside_others) {
            ASSERT_TRUE(gpu.try_allocate(100));
        }
        const auto stale = gpu.try_allocate(100);
        if (beside_others) {
            ASSERT_TRUE(gpu.try_allocate(100));
        }
        gpu.deallocate(*stale);
        const std::uint64_t before = up.live_bytes();
        for (int i = 0; i < 300'000; ++i) {
            const auto a = gpu.try_allocate(100);
            ASSERT_TRUE(a);
            ASSERT_EQ(a->offset, stale->offset);
            ASSERT_FALSE(gpu.is_live(*stale)) << "after " << i;
            ASSERT_NE(*a, *stale);
            gpu.deallocate(*a);
        }
        EXPECT_EQ(up.live_bytes(), before) << "four nodes of the first 64 are retired";
        std::uint64_t end = 0; // all is still there, one behind the other
        support::region_list all;
        gpu.list_regions(all);
        for (const region& r : all.all()) {
            EXPECT_EQ(reinterpret_cast<std::uintptr_t>(r.address), end);
            end += r.bytes;
        }
        EXPECT_EQ(end, 300u);
        EXPECT_EQ(gpu.usage().live_allocations, beside_others ? 2u : 0u);
    }
}

TEST(offset_allocator, a_range_grows_and_shrinks_at_its_end_and_nothing_moves) {
    offset_allocator gpu{100};
    const auto a = *gpu.try_allocate(100);
    EXPECT_EQ(gpu.shrink(), 0u);
    EXPECT_TRUE(gpu.grow(50));
    EXPECT_TRUE(gpu.grow(50)) << "the hole at the end is longer then";
    EXPECT_EQ(gpu.largest_free(), 100u);
    const auto b = *gpu.try_allocate(100);
    EXPECT_EQ(b.offset, 100u);
    gpu.deallocate(a);
    EXPECT_EQ(gpu.shrink(), 0u) << "something lives at the end";
    gpu.deallocate(b);
    EXPECT_EQ(gpu.shrink(), 200u);
    EXPECT_EQ(gpu.capacity(), 0u);
    EXPECT_FALSE(gpu.try_allocate(1));
    EXPECT_TRUE(gpu.grow(10));
    EXPECT_TRUE(gpu.try_allocate(10));
    EXPECT_FALSE(gpu.grow(huge));
}

TEST(offset_allocator, user_data_is_kept_where_it_is_asked_for) {
    offset_allocator gpu{1000, {.user_data = true}};
    offset_allocator plain{1000};
    const auto a = *gpu.try_allocate(10, 1, {.user_data = 77});
    EXPECT_EQ(gpu.user_data(a), 77u);
    gpu.set_user_data(a, 78);
    EXPECT_EQ(gpu.user_data(a), 78u);
    gpu.deallocate(a);
    EXPECT_EQ(gpu.user_data(a), 0u);
    EXPECT_EQ(plain.user_data(*plain.try_allocate(10, 1, {.user_data = 77})), 0u);
}

TEST(offset_allocator, what_is_freed_stale_or_foreign_is_known) {
    offset_allocator gpu{1000};
    offset_allocator other{1000};
    const auto a = *gpu.try_allocate(10);
    const auto foreign = *other.try_allocate(10);
    EXPECT_FALSE(gpu.is_live(foreign)) << "with the same offset, size and node";
    gpu.deallocate(a);
    EXPECT_FALSE(gpu.is_live(a));
    const auto again = *gpu.try_allocate(10);
    EXPECT_EQ(again.offset, a.offset);
    EXPECT_FALSE(gpu.is_live(a)) << "what lies there now is another";
    gpu.clear();
    EXPECT_FALSE(gpu.is_live(again));
    EXPECT_EQ(gpu.usage().live_allocations, 0u);
}

using offset_allocator_death = testing::Test;

TEST(offset_allocator_death, misuse_is_named_in_every_build) {
    offset_allocator gpu{1000};
    offset_allocator other{1000};
    const auto a = *gpu.try_allocate(10);
    const auto foreign = *other.try_allocate(10);
    auto longer = a;
    longer.bytes = 11;
    EXPECT_DEATH(gpu.deallocate(foreign), "10 bytes at offset 0 is free already, or is another");
    EXPECT_DEATH(gpu.deallocate({}), "is not of this allocator");
    EXPECT_DEATH(gpu.deallocate(longer), "has another offset or size");
    gpu.deallocate(a);
    EXPECT_DEATH(gpu.deallocate(a), "deallocate: the allocation of 10 bytes at offset 0 is free");
    auto b = a;
    EXPECT_DEATH(static_cast<void>(gpu.try_resize(b, 1)), "try_resize: ");
    EXPECT_DEATH(gpu.pin(a), "pin: ");
    EXPECT_DEATH(offset_allocator(1000, {.granularity = 3}), "a power of two, 1 to 64 KiB");
    EXPECT_DEATH(offset_allocator(1000, {.granularity = 0}), "a power of two, 1 to 64 KiB");
    EXPECT_DEATH(offset_allocator(1000, {.granularity = 131'072}), "a power of two, 1 to 64 KiB");
    EXPECT_DEATH(offset_allocator(1000, {.conflict_page = 100}), "conflict_page");
    EXPECT_DEATH(offset_allocator(std::uint64_t{1} << 63), "at most 2.47 granules");
}

TEST(offset_allocator, an_upstream_that_fails_changes_nothing) {
    for (std::size_t n = 0; n < 12; ++n) {
        support::counting_resource up;
        offset_allocator gpu{100'000, {.user_data = true}, &up};
        std::vector<offset_allocation> all;
        up.fail_after(n);
        while (const auto a = gpu.try_allocate(7, 16))
            all.push_back(*a);
        EXPECT_EQ(gpu.usage().live_allocations, all.size());
        EXPECT_EQ(gpu.usage().bytes_in_use, all.size() * 7);
        static_cast<void>(gpu.try_allocate(7, 16));
        for (const offset_allocation& a : all)
            gpu.deallocate(a);
        EXPECT_EQ(gpu.largest_free(), 100'000u);
        up.never_fail();
        EXPECT_TRUE(gpu.try_allocate(100'000));
    }
}

TEST(offset_allocator, memory_that_was_reserved_is_not_asked_for_again) {
    support::counting_resource up;
    offset_allocator gpu{1_MiB, &up};
    ASSERT_TRUE(gpu.reserve(201)); // and a hole behind each
    up.fail_after(0);
    for (int i = 0; i < 100; ++i)
        EXPECT_TRUE(gpu.try_allocate(7, 16));
    EXPECT_FALSE(gpu.reserve(1000));
}

TEST(offset_allocator, the_books_take_some_40_bytes_an_allocation) {
    support::counting_resource up;
    offset_allocator gpu{1_GiB, &up};
    for (int i = 0; i < 50'000; ++i)
        static_cast<void>(gpu.try_allocate(1000));
    EXPECT_LE(up.live_bytes(), 50'000u * 32 * 9 / 8 + 17'000);
    EXPECT_EQ(up.live_bytes(), gpu.bookkeeping_bytes());
}

TEST(offset_allocator, what_is_alive_is_told_in_the_order_of_offsets) {
    offset_allocator gpu{1000, {.user_data = true}};
    const auto a = *gpu.try_allocate(10, 1, {.user_data = 1});
    const auto b = *gpu.try_allocate(10, 1, {.user_data = 2});
    const auto c = *gpu.try_allocate(10, 1, {.user_data = 3});
    gpu.deallocate(b);
    std::vector<std::uint64_t> seen;
    gpu.for_each([&](const offset_allocation& x, std::uint64_t data) {
        seen.push_back(data);
        EXPECT_TRUE(x == a || x == c);
    });
    EXPECT_EQ(seen, (std::vector<std::uint64_t>{1, 3}));
}

TEST(offset_allocator, a_memory_map_shows_the_range) {
    offset_allocator gpu{4096};
    EXPECT_EQ(memory_map{gpu}.totals().free_bytes(), 4096u);
    const auto a = *gpu.try_allocate(1000);
    static_cast<void>(gpu.try_allocate(1000));
    gpu.deallocate(a);
    const support::region_list list{gpu};
    EXPECT_EQ(list.bytes(), 4096u);
    EXPECT_EQ(list.bytes(region_state::used), 1000u);
    EXPECT_EQ(list.count(region_state::free), 2u);
    EXPECT_EQ(memory_map{gpu}.totals().largest_hole_bytes(), gpu.largest_free());
}

TEST(offset_allocator, the_high_water_outlives_a_clear) {
    support::counting_resource up;
    offset_allocator gpu{1000, {}, &up};
    ASSERT_TRUE(gpu.try_allocate(300).has_value());
    gpu.clear();
    EXPECT_EQ(gpu.usage().high_water_bytes, 300u);
    ASSERT_TRUE(gpu.try_allocate(10).has_value());
    EXPECT_EQ(gpu.usage().high_water_bytes, 300u);
    ASSERT_TRUE(gpu.try_allocate(500).has_value());
    gpu.clear();
    EXPECT_EQ(gpu.usage().high_water_bytes, 510u);
}

} // namespace
