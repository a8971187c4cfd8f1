// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/check/detail/poison.hpp>
#include <arenite/check/passthrough.hpp>
#include <arenite/core/concepts.hpp>
#include <arenite/core/error.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/linear/linear_resource.hpp>
#include <arenite/stl/resource_allocator.hpp>

#include <gtest/gtest.h>

#include "support/counting_resource.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory_resource>
#include <span>
#include <vector>

using namespace arenite;
using support::counting_resource;

namespace {

static_assert(Allocating<linear_resource>);
static_assert(Owning<linear_resource>);
static_assert(Resettable<linear_resource>);
static_assert(Trimmable<linear_resource>);
static_assert(Markable<linear_resource>);
static_assert(Measurable<linear_resource>);
static_assert(!Sizing<linear_resource>);

constexpr std::size_t size_max = std::numeric_limits<std::size_t>::max();

std::byte* bytes_of(void* p) { return static_cast<std::byte*>(p); }

// Where an allocation lies is a promise of the region, and with passthrough there is none.
class linear_resource_region : public testing::Test {
protected:
    void SetUp() override {
        if (passthrough())
            GTEST_SKIP() << "with passthrough every allocation is one of malloc";
    }
};

// ---- where the memory comes from ----------------------------------------------------------------

TEST_F(linear_resource_region, asks_upstream_once_at_the_first_request_and_gives_back_at_the_end) {
    counting_resource up;
    {
        linear_resource a{1000, &up};
        EXPECT_EQ(up.calls(), 0u);
        EXPECT_EQ(a.usage().bytes_reserved, 0u);
        static_cast<void>(a.allocate(10));
        static_cast<void>(a.allocate(500));
        EXPECT_EQ(up.calls(), 1u);
        EXPECT_EQ(up.live_bytes(), 1000u);
        EXPECT_EQ(a.usage().bytes_reserved, 1000u);
    }
    EXPECT_EQ(up.live(), 0u);
}

TEST_F(linear_resource_region, an_unused_resource_never_asks_upstream) {
    counting_resource up;
    {
        linear_resource a{1_MiB, &up};
        a.reset();
        a.rewind(a.mark());
        a.trim();
        EXPECT_EQ(a.in_use(), 0u);
        EXPECT_EQ(a.high_water(), 0u);
        EXPECT_FALSE(a.owns(&a));
        EXPECT_FALSE(a.owns(nullptr));
    }
    EXPECT_EQ(up.calls(), 0u);
}

TEST_F(linear_resource_region, eager_asks_at_construction) {
    counting_resource up;
    linear_resource a{64_KiB, linear_options{.eager = true}, &up};
    EXPECT_EQ(up.live_bytes(), 64_KiB);
    static_cast<void>(a.allocate(100));
    EXPECT_EQ(up.calls(), 1u);
}

TEST_F(linear_resource_region, prefault_asks_at_construction_and_the_memory_serves) {
    counting_resource up;
    linear_resource a{64_KiB + 100, linear_options{.prefault = true}, &up};
    EXPECT_EQ(up.live(), 1u);
    EXPECT_NE(a.try_allocate(64_KiB + 100, 1), nullptr);
}

#if ARENITE_EXCEPTIONS
TEST_F(linear_resource_region, eager_construction_throws_where_upstream_has_nothing) {
    counting_resource up;
    up.fail_after(0);
    EXPECT_THROW((linear_resource{64_KiB, linear_options{.eager = true}, &up}), out_of_memory);
}
#endif

TEST_F(linear_resource_region, a_failed_upstream_is_asked_again) {
    counting_resource up;
    up.fail_after(0);
    linear_resource a{1000, &up};
    EXPECT_EQ(a.try_allocate(10), nullptr);
    EXPECT_EQ(a.in_use(), 0u);
    up.never_fail();
    EXPECT_NE(a.try_allocate(10), nullptr);
}

TEST_F(linear_resource_region, the_first_request_decides_the_alignment_of_the_region) {
    counting_resource up;
    linear_resource a{4_KiB, &up};
    void* p = a.try_allocate(4_KiB, 4_KiB);
    ASSERT_NE(p, nullptr);
    EXPECT_TRUE(is_aligned(p, 4_KiB));
    EXPECT_EQ(a.in_use(), 4_KiB);
}

// Knows no alignment above the default one.
class unaligning_resource final : public resource_base<unaligning_resource> {
public:
    void* try_allocate(std::size_t bytes, std::size_t alignment = default_alignment) noexcept {
        return alignment > default_alignment ? nullptr : up.try_allocate(bytes, alignment);
    }
    void deallocate(void* p, std::size_t bytes,
                    std::size_t alignment = default_alignment) noexcept {
        up.deallocate(p, bytes, alignment);
    }
    counting_resource up;
};

TEST_F(linear_resource_region, aligns_itself_over_an_upstream_that_can_not) {
    unaligning_resource source;
    linear_resource a{64_KiB, &source};
    void* p = a.try_allocate(100, 4_KiB);
    ASSERT_NE(p, nullptr);
    EXPECT_TRUE(is_aligned(p, 4_KiB));
}

TEST_F(linear_resource_region, keeps_nothing_of_an_upstream_where_alignment_leaves_no_room) {
    unaligning_resource source;
    linear_resource a{64, &source};
    EXPECT_EQ(a.try_allocate(64, 1_MiB), nullptr); // fits only at one place in 65536
    EXPECT_EQ(source.up.live(), 0u);
}

TEST_F(linear_resource_region,
       trim_gives_an_empty_region_back_and_the_next_request_gets_a_new_one) {
    counting_resource up;
    linear_resource a{1000, &up};
    void* p = a.allocate(10);
    a.trim();
    EXPECT_EQ(up.live(), 1u) << "it is in use";
    EXPECT_TRUE(a.owns(p));
    a.reset();
    a.trim();
    EXPECT_EQ(up.live(), 0u);
    EXPECT_EQ(a.high_water(), 10u);
    EXPECT_NE(a.try_allocate(1000, 1), nullptr);
    EXPECT_EQ(up.live(), 1u);
}

TEST_F(linear_resource_region, works_in_a_buffer_of_the_users) {
    alignas(16) std::array<std::byte, 256> buffer;
    linear_resource b{std::span<std::byte>{buffer}};
    EXPECT_EQ(b.capacity(), 256u);
    EXPECT_EQ(b.allocate(100, 1), buffer.data());
    EXPECT_EQ(b.allocate(156, 1), buffer.data() + 100);
    EXPECT_EQ(b.try_allocate(1, 1), nullptr);
    b.trim(); // the buffer is not ours to give
    b.reset();
    b.trim();
    EXPECT_EQ(b.allocate(256, 1), buffer.data());
}

TEST_F(linear_resource_region, a_buffer_may_have_any_alignment) {
    alignas(64) std::array<std::byte, 256> buffer;
    linear_resource b{std::span<std::byte>{buffer}.subspan(1)};
    void* p = b.allocate(8, 64);
    EXPECT_EQ(p, buffer.data() + 64);
    EXPECT_EQ(b.in_use(), 63u + 8u);
}

TEST(linear_resource, a_buffer_too_small_for_one_allocation_fails_cleanly) {
    std::array<std::byte, 8> buffer;
    linear_resource small{std::span<std::byte>{buffer}};
    EXPECT_EQ(small.try_allocate(9, 1), nullptr);
    EXPECT_EQ(small.in_use(), 0u);
    linear_resource empty{std::span<std::byte>{}};
    EXPECT_EQ(empty.try_allocate(0, 1), nullptr);
    EXPECT_EQ(empty.try_allocate(1, 1), nullptr);
    EXPECT_EQ(empty.capacity(), 0u);
    linear_resource nothing{0};
    EXPECT_EQ(nothing.try_allocate(1, 1), nullptr);
}

// ---- allocate -----------------------------------------------------------------------------------

TEST_F(linear_resource_region, allocations_lie_one_after_the_other_without_overhead) {
    linear_resource a{1_MiB};
    std::byte* const first = bytes_of(a.allocate(24, 8));
    for (std::size_t i = 1; i < 1000; ++i)
        ASSERT_EQ(a.allocate(24, 8), first + 24 * i);
    EXPECT_EQ(a.in_use(), 24'000u);
}

TEST_F(linear_resource_region, pads_as_little_as_the_alignment_needs) {
    linear_resource a{1_MiB};
    std::byte* const first = bytes_of(a.allocate(1, 16));
    EXPECT_EQ(a.allocate(1, 1), first + 1);
    EXPECT_EQ(a.allocate(4, 4), first + 4);
    EXPECT_EQ(a.allocate(8, 8), first + 8);
    EXPECT_EQ(a.in_use(), 16u);
}

TEST_F(linear_resource_region, the_last_byte_can_be_had_and_no_more) {
    linear_resource a{100};
    ASSERT_NE(a.try_allocate(60, 1), nullptr);
    EXPECT_EQ(a.try_allocate(41, 1), nullptr);
    EXPECT_NE(a.try_allocate(40, 1), nullptr);
    EXPECT_EQ(a.try_allocate(0, 1), nullptr) << "zero bytes count as one";
    EXPECT_EQ(a.in_use(), 100u);
}

TEST(linear_resource, huge_sizes_and_alignments_fail_without_overflow) {
    linear_resource a{1000};
    for (const bool started : {false, true}) {
        if (started) {
            ASSERT_NE(a.try_allocate(10), nullptr);
        }
        for (const std::size_t alignment : {std::size_t{1}, std::size_t{8}, std::size_t{4096},
                                            size_max / 4 + 1, size_max / 2 + 1}) {
            for (std::size_t k = 0; k < 64; ++k) {
                EXPECT_EQ(a.try_allocate(size_max - k, alignment), nullptr);
                EXPECT_EQ(a.try_allocate(detail::max_object_bytes - k, alignment), nullptr);
                EXPECT_EQ(a.try_allocate(detail::max_object_bytes + k, alignment), nullptr);
            }
            EXPECT_EQ(a.try_allocate(0 - alignment, alignment), nullptr);
        }
        EXPECT_EQ(a.try_allocate(1, size_max / 2 + 1), nullptr);
        EXPECT_EQ(a.in_use(), started ? 10u : 0u);
    }
}

TEST_F(linear_resource_region, a_capacity_that_no_upstream_has_fails_at_the_first_request) {
    linear_resource a{size_max};
    EXPECT_EQ(a.try_allocate(1), nullptr);
    linear_resource b{detail::max_object_bytes};
    EXPECT_EQ(b.try_allocate(detail::max_object_bytes), nullptr);
}

#if ARENITE_EXCEPTIONS
TEST(linear_resource, allocate_throws_what_was_asked) {
    linear_resource a{100};
    try {
        static_cast<void>(a.allocate(101, 4));
        FAIL() << "it did not throw";
    } catch (const out_of_memory& error) {
        EXPECT_EQ(error.bytes(), 101u);
        EXPECT_EQ(error.alignment(), 4u);
        EXPECT_EQ(error.source(), &a);
    }
}
#endif

// ---- give back the latest -----------------------------------------------------------------------

TEST_F(linear_resource_region, gives_the_latest_allocation_back) {
    linear_resource a{1000};
    static_cast<void>(a.allocate(10, 1));
    void* p = a.allocate(20, 1);
    a.deallocate(p, 20, 1);
    EXPECT_EQ(a.in_use(), 10u);
    EXPECT_EQ(a.allocate(30, 1), p);
}

TEST_F(linear_resource_region, gives_all_back_in_reverse_order) {
    linear_resource a{1000};
    std::vector<void*> all;
    for (int i = 0; i < 10; ++i)
        all.push_back(a.allocate(8, 8));
    for (; !all.empty(); all.pop_back())
        a.deallocate(all.back(), 8, 8);
    EXPECT_EQ(a.in_use(), 0u);
    EXPECT_EQ(a.high_water(), 80u);
}

TEST_F(linear_resource_region, an_allocation_of_zero_bytes_comes_back_too) {
    linear_resource a{1000};
    void* p = a.allocate(0);
    void* q = a.allocate(0);
    EXPECT_NE(p, q);
    a.deallocate(q, 0);
    a.deallocate(p, 0);
    EXPECT_EQ(a.in_use(), 0u);
}

TEST_F(linear_resource_region, gives_the_padding_of_the_latest_back) {
    linear_resource a{1000};
    for (int i = 0; i < 10; ++i) { // a string and a vector of one block, in a loop
        void* text = a.allocate(21, 1);
        void* numbers = a.allocate(64, 8);
        EXPECT_EQ(a.in_use(), 24u + 64u);
        a.deallocate(numbers, 64, 8);
        EXPECT_EQ(a.in_use(), 21u);
        a.deallocate(text, 21, 1);
        EXPECT_EQ(a.in_use(), 0u);
    }
}

TEST_F(linear_resource_region, a_hole_before_the_padding_of_the_latest_comes_back) {
    linear_resource a{1000};
    void* text = a.allocate(21, 1);
    void* numbers = a.allocate(64, 8);
    a.deallocate(text, 21, 1);
    EXPECT_TRUE(a.try_resize(numbers, 64, 100));
    EXPECT_TRUE(a.try_resize(numbers, 100, 8, alignof(int)));
    a.deallocate(numbers, 8, 8);
    EXPECT_EQ(a.in_use(), 0u);
}

// Knowledge of the latest allocation must not be applied to an earlier one.
TEST_F(linear_resource_region, the_padding_of_an_allocation_given_back_is_forgotten) {
    linear_resource a{1000};
    static_cast<void>(a.allocate(21, 1));
    void* below = a.allocate(8, 8);  // 24
    void* latest = a.allocate(1, 1); // 32
    a.deallocate(latest, 1, 1);
    EXPECT_EQ(a.in_use(), 32u);
    a.deallocate(below, 8, 8);
    EXPECT_EQ(a.in_use(), 24u);
}

TEST_F(linear_resource_region, keeps_what_is_not_the_latest) {
    linear_resource a{1000};
    void* p = a.allocate(16);
    void* q = a.allocate(16);
    a.deallocate(p, 16);
    EXPECT_EQ(a.in_use(), 32u);
    EXPECT_NE(a.allocate(16), p);
    EXPECT_TRUE(a.owns(q));
}

TEST_F(linear_resource_region, the_hole_under_the_latest_comes_back_with_it) {
    linear_resource a{1000};
    void* keep = a.allocate(16);
    void* p[4];
    for (void*& x : p)
        x = a.allocate(16);
    a.deallocate(p[1], 16);
    a.deallocate(p[0], 16); // the hole grows downward
    a.deallocate(p[2], 16); // and upward
    EXPECT_EQ(a.in_use(), 80u);
    a.deallocate(p[3], 16);
    EXPECT_EQ(a.in_use(), 16u);
    EXPECT_EQ(a.high_water(), 80u);
    EXPECT_TRUE(a.owns(keep));
}

TEST_F(linear_resource_region, a_hole_with_something_alive_above_it_stays) {
    linear_resource a{1000};
    void* p = a.allocate(16);
    void* alive = a.allocate(16);
    void* latest = a.allocate(16);
    a.deallocate(p, 16);
    a.deallocate(latest, 16);
    EXPECT_EQ(a.in_use(), 32u);
    EXPECT_TRUE(a.owns(alive));
    a.deallocate(alive, 16);
    EXPECT_EQ(a.in_use(), 0u);
}

// The mistake that a remembered hole invites: it must be forgotten where the top falls into it.
TEST_F(linear_resource_region, a_hole_above_a_rewind_is_forgotten) {
    linear_resource a{1000};
    const auto m = a.mark();
    void* p = a.allocate(32);
    static_cast<void>(a.allocate(32));
    a.deallocate(p, 32); // a hole of 0 to 32
    a.rewind(m);
    void* alive = a.allocate(32);
    void* latest = a.allocate(32);
    a.deallocate(latest, 32); // begins where the hole ended
    EXPECT_EQ(a.in_use(), 32u);
    EXPECT_NE(a.allocate(8), alive);
}

TEST_F(linear_resource_region, a_growing_vector_leaves_nothing_behind) {
    linear_resource a{1_MiB};
    {
        std::vector<int, resource_allocator<int, linear_resource>> v{a};
        for (int i = 0; i < 10'000; ++i)
            v.push_back(i);
        EXPECT_LE(a.in_use(), 2 * v.capacity() * sizeof(int));
        EXPECT_EQ(v[9'999], 9'999);
        v.resize(10);
        v.shrink_to_fit();
    }
    EXPECT_EQ(a.in_use(), 0u);
}

TEST_F(linear_resource_region, a_growing_pmr_vector_leaves_nothing_behind) {
    linear_resource a{1_MiB};
    void* before = a.allocate(3, 1);
    {
        std::pmr::vector<double> v{&a};
        for (int i = 0; i < 10'000; ++i)
            v.push_back(i);
    }
    EXPECT_LE(a.in_use(), 3u + (alignof(double) - 1)); // at most the padding before its first block
    EXPECT_TRUE(a.owns(before));
}

// ---- resize in place ----------------------------------------------------------------------------

TEST_F(linear_resource_region, resizes_the_latest_allocation_in_place) {
    linear_resource a{100};
    static_cast<void>(a.allocate(10, 1));
    auto* p = static_cast<unsigned char*>(a.allocate(10, 1));
    p[9] = 42;
    EXPECT_TRUE(a.try_resize(p, 10, 90));
    p[89] = 43;
    EXPECT_EQ(p[9], 42);
    EXPECT_EQ(a.in_use(), 100u);
    EXPECT_TRUE(a.try_resize(p, 90, 5));
    EXPECT_EQ(a.in_use(), 15u);
    EXPECT_EQ(a.high_water(), 100u);
    EXPECT_TRUE(a.try_resize(p, 5, 0)) << "zero bytes count as one";
    EXPECT_EQ(a.in_use(), 11u);
    EXPECT_TRUE(a.try_resize(p, 0, 1));
    a.deallocate(p, 1, 1);
    EXPECT_EQ(a.in_use(), 10u);
}

TEST_F(linear_resource_region, does_not_resize_what_is_not_the_latest_or_does_not_fit) {
    linear_resource a{100};
    void* p = a.allocate(10, 1);
    EXPECT_FALSE(a.try_resize(p, 10, 101));
    EXPECT_FALSE(a.try_resize(p, 10, size_max));
    EXPECT_FALSE(a.try_resize(p, 10, detail::max_object_bytes));
    EXPECT_EQ(a.in_use(), 10u);
    void* q = a.allocate(10, 1);
    EXPECT_FALSE(a.try_resize(p, 10, 5));
    EXPECT_FALSE(a.try_resize(p, 10, 20));
    EXPECT_TRUE(a.try_resize(q, 10, 90));
}

// ---- mark, rewind, reset ------------------------------------------------------------------------

TEST(linear_resource, a_rewind_frees_what_came_after_the_mark) {
    linear_resource a{1000};
    void* before = a.allocate(16);
    const auto m = a.mark();
    void* after = a.allocate(16);
    static_cast<void>(a.allocate(100));
    a.rewind(m);
    EXPECT_EQ(a.in_use(), 16u);
    EXPECT_TRUE(a.owns(before));
    EXPECT_FALSE(a.owns(after));
    a.rewind(m); // it stays good
    EXPECT_EQ(a.in_use(), 16u);
}

TEST(linear_resource, a_mark_before_the_first_allocation_works) {
    linear_resource a{1000};
    const auto m = a.mark();
    static_cast<void>(a.allocate(16));
    a.rewind(m);
    EXPECT_EQ(a.in_use(), 0u);
    EXPECT_NE(a.try_allocate(1000, 1), nullptr);
    a.rewind(m);
    EXPECT_EQ(a.in_use(), 0u);
}

TEST(linear_resource, a_mark_of_the_empty_resource_outlives_a_reset) {
    linear_resource a{1000};
    const auto m = a.mark();
    static_cast<void>(a.allocate(16));
    a.reset();
    static_cast<void>(a.allocate(16));
    a.rewind(m);
    EXPECT_EQ(a.in_use(), 0u);
}

TEST(linear_resource, rewinds_nest) {
    linear_resource a{1000};
    const auto m0 = a.mark();
    static_cast<void>(a.allocate(10, 1));
    const auto m1 = a.mark();
    static_cast<void>(a.allocate(10, 1));
    const auto m2 = a.mark();
    static_cast<void>(a.allocate(10, 1));
    a.rewind(m2);
    EXPECT_EQ(a.in_use(), 20u);
    a.rewind(m1);
    EXPECT_EQ(a.in_use(), 10u);
    a.rewind(m0);
    EXPECT_EQ(a.in_use(), 0u);
    EXPECT_EQ(a.high_water(), 30u);
}

TEST(linear_resource, a_rewind_never_takes_back_what_was_freed_below_the_mark) {
    linear_resource a{1000};
    void* p = a.allocate(16);
    const auto m = a.mark();
    a.deallocate(p, 16);
    a.rewind(m);
    EXPECT_EQ(a.in_use(), 0u);
}

TEST(linear_resource, reset_frees_everything_and_keeps_the_memory) {
    counting_resource up;
    linear_resource a{1000, &up};
    for (int round = 0; round < 3; ++round) {
        EXPECT_NE(a.try_allocate(1000, 1), nullptr);
        EXPECT_EQ(a.try_allocate(1, 1), nullptr);
        a.reset();
        EXPECT_EQ(a.in_use(), 0u);
    }
    EXPECT_LE(up.calls(), 1u);
}

TEST(linear_resource, high_water_is_exact) {
    linear_resource a{1000};
    EXPECT_EQ(a.high_water(), 0u);
    void* p = a.allocate(100, 1);
    EXPECT_EQ(a.high_water(), 100u);
    a.deallocate(p, 100, 1);
    static_cast<void>(a.allocate(60, 1));
    EXPECT_EQ(a.high_water(), 100u);
    const auto m = a.mark();
    static_cast<void>(a.allocate(60, 1));
    a.rewind(m);
    EXPECT_EQ(a.high_water(), 120u);
    static_cast<void>(a.allocate(61, 1));
    a.reset();
    EXPECT_EQ(a.high_water(), 121u);
    EXPECT_EQ(a.usage().high_water_bytes, 121u);
}

TEST(linear_resource, owns_what_is_allocated_and_nothing_else) {
    linear_resource a{1000}, b{1000};
    auto* p = bytes_of(a.allocate(16));
    EXPECT_TRUE(a.owns(p));
    EXPECT_TRUE(a.owns(p + 15));
    EXPECT_FALSE(a.owns(p + 16));
    EXPECT_FALSE(a.owns(&a));
    EXPECT_FALSE(a.owns(nullptr));
    EXPECT_FALSE(b.owns(p));
    a.reset();
    EXPECT_FALSE(a.owns(p));
}

TEST_F(linear_resource_region, usage_tells_what_is_held) {
    linear_resource a{1000};
    static_cast<void>(a.allocate(100, 1));
    const usage u = a.usage();
    EXPECT_EQ(u.bytes_in_use, 100u);
    EXPECT_EQ(u.bytes_reserved, 1000u);
    EXPECT_EQ(u.largest_hole_bytes, 900u);
}

// ---- passthrough --------------------------------------------------------------------------------

class linear_resource_passthrough : public testing::Test {
protected:
    bool before = arenite::detail::set_passthrough_for_test(true);
    ~linear_resource_passthrough() override { arenite::detail::set_passthrough_for_test(before); }
};

TEST_F(linear_resource_passthrough, sends_each_allocation_to_malloc_and_frees_it_by_every_way) {
    counting_resource up;
    std::array<std::byte, 64> buffer;
    linear_resource over_upstream{1000, linear_options{.prefault = true}, &up};
    linear_resource over_buffer{std::span<std::byte>{buffer}};
    for (linear_resource* a : {&over_upstream, &over_buffer}) {
        void* first = a->allocate(8, 8);
        EXPECT_TRUE(first < buffer.data() || first >= buffer.data() + buffer.size());
        const auto m = a->mark();
        void* aligned = a->allocate(8, 4096);
        EXPECT_TRUE(is_aligned(aligned, 4096));
        void* third = a->allocate(8, 1);
        EXPECT_EQ(a->in_use(), 24u);
        EXPECT_TRUE(a->owns(aligned));
        a->deallocate(aligned, 8, 4096);
        EXPECT_FALSE(a->owns(aligned));
        EXPECT_FALSE(a->try_resize(third, 8, 4));
        a->rewind(m);
        EXPECT_EQ(a->in_use(), 8u);
        EXPECT_EQ(a->try_allocate(a->capacity() - 7, 1), nullptr) << "the capacity holds";
        static_cast<void>(a->allocate(a->capacity() - 8, 1));
        EXPECT_EQ(a->high_water(), a->capacity());
        a->reset();
        EXPECT_EQ(a->in_use(), 0u);
        static_cast<void>(a->allocate(10, 1)); // freed by the destructor
    }
    EXPECT_EQ(up.calls(), 0u);
}

// ---- what memory checkers see -------------------------------------------------------------------

TEST_F(linear_resource_region, only_what_is_allocated_is_accessible) {
    if (!detail::poison::reports_access())
        GTEST_SKIP() << "no memory checker at work";
    alignas(16) std::array<std::byte, 256> buffer;
    {
        linear_resource a{std::span<std::byte>{buffer}};
        EXPECT_FALSE(detail::poison::accessible(buffer.data(), 1));
        void* p = a.allocate(64);
        void* q = a.allocate(64);
        EXPECT_TRUE(detail::poison::accessible(p, 128));
        EXPECT_FALSE(detail::poison::accessible(buffer.data() + 128, 1));
        a.deallocate(p, 64);
        EXPECT_FALSE(detail::poison::accessible(p, 1));
        EXPECT_TRUE(a.try_resize(q, 64, 32));
        EXPECT_FALSE(detail::poison::accessible(buffer.data() + 96, 1));
        EXPECT_TRUE(a.try_resize(q, 32, 128));
        EXPECT_TRUE(detail::poison::accessible(q, 128));
        a.reset();
        EXPECT_FALSE(detail::poison::accessible(q, 1));
    }
    EXPECT_TRUE(detail::poison::accessible(buffer.data(), buffer.size()));
}

TEST_F(linear_resource_region, checked_builds_fill_what_begins_and_what_ends) {
    if constexpr (checks_enabled && !detail::poison::active) {
        alignas(16) std::array<std::byte, 64> buffer{};
        linear_resource a{std::span<std::byte>{buffer}};
        void* p = a.allocate(16);
        EXPECT_EQ(buffer[15], std::byte{0xCD});
        EXPECT_EQ(buffer[16], std::byte{0});
        void* latest = a.allocate(16);
        a.deallocate(p, 16);
        EXPECT_EQ(buffer[0], std::byte{0xDD});
        EXPECT_EQ(buffer[16], std::byte{0xCD});
        a.deallocate(latest, 16);
        EXPECT_EQ(buffer[31], std::byte{0xDD});
        EXPECT_EQ(buffer[32], std::byte{0});
    }
}

// ---- misuse -------------------------------------------------------------------------------------

TEST(linear_resource, an_alignment_that_is_no_power_of_two_fails) {
    if constexpr (!checks_enabled) {
        linear_resource a{1000};
        for (const std::size_t alignment : {0u, 3u, 6u, 24u})
            EXPECT_EQ(a.try_allocate(8, alignment), nullptr);
        static_cast<void>(a.allocate(8));
        for (const std::size_t alignment : {0u, 3u, 6u, 24u})
            EXPECT_EQ(a.try_allocate(8, alignment), nullptr);
        EXPECT_EQ(a.in_use(), 8u);
    } else {
        GTEST_SKIP() << "a checked build finds it earlier";
    }
}

TEST(linear_resource, a_wrong_marker_harms_nothing_in_an_unchecked_build) {
    if constexpr (!checks_enabled) {
        linear_resource a{1000}, b{1000};
        const auto outer = a.mark();
        static_cast<void>(a.allocate(16));
        const auto inner = a.mark();
        static_cast<void>(b.allocate(8));
        b.rewind(inner);
        EXPECT_EQ(b.in_use(), 8u);
        b.rewind(linear_resource::marker{});
        EXPECT_EQ(b.in_use(), 8u);
        a.rewind(outer);
        a.rewind(inner);
        EXPECT_EQ(a.in_use(), 0u);
    } else {
        GTEST_SKIP() << "a checked build finds it earlier";
    }
}

TEST(linear_resource_death, a_checked_build_refuses_wrong_markers) {
    if constexpr (checks_enabled) {
        linear_resource a{1000}, b{1000};
        const auto outer = a.mark();
        static_cast<void>(a.allocate(16));
        const auto inner = a.mark();
        EXPECT_DEATH(a.rewind(linear_resource::marker{}), "never taken");
        EXPECT_DEATH(b.rewind(outer), "another resource");
        a.rewind(outer);
        EXPECT_DEATH(a.rewind(inner), "newer than the state");
        static_cast<void>(a.allocate(100)); // also where the position would be a good one
        EXPECT_DEATH(a.rewind(inner), "newer than the state");
        a.rewind(outer);

        static_cast<void>(a.allocate(16));
        const auto before_reset = a.mark();
        a.reset();
        static_cast<void>(a.allocate(100));
        EXPECT_DEATH(a.rewind(before_reset), "newer than the state");
    } else {
        GTEST_SKIP() << "only a checked build finds it at once";
    }
}

TEST(linear_resource_death, a_checked_build_refuses_bad_alignments_and_frees) {
    if constexpr (checks_enabled) {
        linear_resource a{1000};
        EXPECT_DEATH(static_cast<void>(a.try_allocate(8, 3)), "power of two");
        EXPECT_DEATH(static_cast<void>(a.try_allocate(8, 0)), "power of two");
        if (passthrough())
            GTEST_SKIP() << "with passthrough malloc finds the rest";
        void* p = a.allocate(16);
        int foreign = 0;
        EXPECT_DEATH(a.deallocate(&foreign, sizeof foreign), "not allocated here");
        EXPECT_DEATH(a.deallocate(p, 17), "another size");
        a.reset();
        EXPECT_DEATH(a.deallocate(p, 16), "no longer");
    } else {
        GTEST_SKIP() << "only a checked build finds it at once";
    }
}

} // namespace
