// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/check/passthrough.hpp>
#include <arenite/core/concepts.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/linear/double_buffered_resource.hpp>
#include <arenite/linear/scope.hpp>

#include <gtest/gtest.h>

#include "support/counting_resource.hpp"
#include "support/pattern.hpp"
#include "support/region_list.hpp"

#include <cstddef>
#include <type_traits>
#include <utility>

using namespace arenite;
using support::pattern;

namespace {

static_assert(Allocating<double_buffered_resource>);
static_assert(Owning<double_buffered_resource>);
static_assert(Resettable<double_buffered_resource>);
static_assert(Trimmable<double_buffered_resource>);
static_assert(Measurable<double_buffered_resource>);
static_assert(Mappable<double_buffered_resource>);
static_assert(!Markable<double_buffered_resource>, "a marker is of one side");
static_assert(!std::is_copy_constructible_v<double_buffered_resource>);
static_assert(std::is_convertible_v<double_buffered_resource&, linear_resource&>);

TEST(double_buffered_resource, allocates_from_the_active_side) {
    double_buffered_resource f{1000};
    void* p = f.allocate(100);
    EXPECT_TRUE(f.active().owns(p));
    EXPECT_FALSE(f.inactive().owns(p));
    EXPECT_TRUE(f.owns(p));
    linear_resource& now = f;
    EXPECT_EQ(&now, &f.active());
    EXPECT_EQ(&std::as_const(f).active(), &f.active());
    EXPECT_EQ(&std::as_const(f).inactive(), &f.inactive());
    EXPECT_EQ(f.capacity(), 1000u);
}

// Regions of page_source() lie side by side, too: where one ends, the next one begins.
TEST(double_buffered_resource, resizes_nothing_of_the_other_side_that_ends_where_its_own_begins) {
    if (passthrough())
        GTEST_SKIP() << "with passthrough there are no regions";
    linear_resource side_by_side{4000};
    double_buffered_resource f{1024, side_by_side};
    void* const p = f.allocate(1024, 1);
    f.swap();
    auto* const begin = static_cast<std::byte*>(f.allocate(1, 1));
    ASSERT_EQ(begin, static_cast<std::byte*>(p) + 1024) << "the regions touch";
    f.deallocate(begin, 1, 1);
    for (const std::size_t bytes : {1100U, 900U})
        EXPECT_FALSE(f.try_resize(p, 1024, bytes)) << bytes;
    EXPECT_EQ(f.active().in_use(), 0U);
    EXPECT_EQ(f.allocate(10, 1), begin);
}

TEST(double_buffered_resource, what_was_made_stays_readable_for_one_swap) {
    double_buffered_resource f{100'000};
    void* last = nullptr;
    for (unsigned round = 0; round < 10; ++round) {
        void* p = f.allocate(1000);
        pattern{round}.write(p, 1000);
        if (last != nullptr) {
            EXPECT_TRUE((pattern{round - 1}.holds(last, 1000)));
            EXPECT_TRUE(f.inactive().owns(last));
        }
        f.swap();
        EXPECT_EQ(f.active().in_use(), 0u);
        last = p;
    }
}

TEST(double_buffered_resource, a_swap_without_reset_keeps_and_goes_on) {
    double_buffered_resource f{10'000};
    void* a = f.allocate(100);
    pattern{1}.write(a, 100);
    const auto m = f.active().mark();
    f.swap(false);
    static_cast<void>(f.allocate(50));
    f.swap(false);
    EXPECT_TRUE(f.active().owns(a));
    EXPECT_TRUE((pattern{1}.holds(a, 100)));
    const std::size_t before = f.active().in_use();
    static_cast<void>(f.allocate(100));
    f.active().rewind(m); // still good
    EXPECT_EQ(f.active().in_use(), before);
}

TEST(double_buffered_resource, deallocate_finds_the_side) {
    double_buffered_resource f{1000};
    void* a = f.allocate(100);
    f.swap();
    void* b = f.allocate(100);
    f.deallocate(a, 100);
    EXPECT_EQ(f.inactive().in_use(), 0u);
    EXPECT_NE(f.active().in_use(), 0u);
    f.deallocate(b, 100);
    EXPECT_EQ(f.active().in_use(), 0u);
    void* c = f.allocate(8, 8);
    if (!passthrough()) {
        EXPECT_TRUE(f.try_resize(c, 8, 80));
    }
}

TEST(double_buffered_resource, a_scope_is_over_the_side_that_was_active_at_its_begin) {
    double_buffered_resource f{1000};
    static_cast<void>(f.allocate(10));
    const std::size_t before = f.active().in_use();
    {
        scope s{f};
        static_assert(std::is_same_v<decltype(s), scope<linear_resource>>);
        static_cast<void>(f.allocate(100));
    }
    EXPECT_EQ(f.active().in_use(), before);
    f.swap(); // no scope is open any more
    EXPECT_EQ(f.inactive().in_use(), before);
}

TEST(double_buffered_resource, each_side_asks_upstream_once_and_when_needed) {
    support::counting_resource up;
    {
        double_buffered_resource f{1000, &up};
        EXPECT_EQ(up.calls(), 0u);
        if (passthrough())
            GTEST_SKIP() << "each allocation is one of malloc's";
        static_cast<void>(f.allocate(10));
        EXPECT_EQ(up.calls(), 1u);
        f.swap();
        EXPECT_EQ(up.calls(), 1u);
        for (int i = 0; i < 5; ++i) {
            static_cast<void>(f.allocate(10));
            f.swap();
        }
        EXPECT_EQ(up.calls(), 2u);
        EXPECT_EQ(f.usage().bytes_reserved, 2000u);
        f.reset();
        EXPECT_EQ(f.usage().bytes_in_use, 0u);
        f.trim();
        EXPECT_EQ(up.live(), 0u);
        double_buffered_resource at_once{1000, linear_options{.eager = true}, &up};
        EXPECT_EQ(up.live(), 2u);
    }
    EXPECT_EQ(up.live(), 0u);
}

TEST(double_buffered_resource, a_full_side_fails_and_the_other_one_does_not) {
    for (const std::size_t capacity : {0u, 10u}) {
        double_buffered_resource f{capacity};
        EXPECT_EQ(f.try_allocate(capacity + 1, 1), nullptr);
        if (capacity > 0) {
            EXPECT_NE(f.try_allocate(capacity, 1), nullptr);
        }
        EXPECT_EQ(f.try_allocate(1, 1), nullptr);
        f.swap();
        if (capacity > 0) {
            EXPECT_NE(f.try_allocate(capacity, 1), nullptr);
        }
    }
}

TEST(double_buffered_resource, lists_both_sides) {
    if (passthrough())
        GTEST_SKIP() << "with passthrough there are no regions";
    double_buffered_resource f{1000};
    static_cast<void>(f.allocate(100, 1));
    f.swap();
    static_cast<void>(f.allocate(200, 1));
    const support::region_list list{f};
    EXPECT_EQ(list.bytes(), 2000u);
    EXPECT_EQ(list.bytes(region_state::used), 300u);
    EXPECT_EQ(f.usage().bytes_in_use, 300u);
    EXPECT_EQ(f.in_use(), 300u);
    EXPECT_EQ(f.high_water(), f.usage().high_water_bytes);
    EXPECT_EQ(f.usage().largest_hole_bytes, 800u);
}

TEST(double_buffered_resource, with_passthrough_goes_to_malloc) {
    const bool before = detail::set_passthrough_for_test(true);
    support::counting_resource up;
    {
        double_buffered_resource f{1000, &up};
        void* a = f.allocate(100);
        f.swap();
        void* b = f.allocate(100);
        f.deallocate(a, 100);
        EXPECT_EQ(f.inactive().in_use(), 0u);
        f.swap();
        EXPECT_TRUE(f.owns(b));
        f.swap(); // frees b
        EXPECT_EQ(f.usage().bytes_in_use, 0u);
    }
    EXPECT_EQ(up.calls(), 0u);
    detail::set_passthrough_for_test(before);
}

TEST(double_buffered_resource_death, a_checked_build_reports_a_swap_while_a_scope_is_open) {
    if constexpr (checks_enabled) {
        double_buffered_resource f{1000};
        EXPECT_DEATH(
            {
                scope s{f};
                f.swap();
            },
            "while a scope is open");
        EXPECT_DEATH(
            {
                scope s{f.inactive()};
                f.swap(false);
            },
            "while a scope is open");
    }
}

TEST(double_buffered_resource_death, a_checked_build_refuses_markers_from_before_the_reset) {
    if constexpr (checks_enabled) {
        double_buffered_resource f{1000};
        linear_resource& first = f;
        const auto of_the_empty = f.active().mark();
        static_cast<void>(f.allocate(10));
        const auto later = f.active().mark();
        f.swap();
        EXPECT_DEATH(f.active().rewind(later), "another resource");
        first.rewind(later); // inactive, but not yet reset
        f.swap();
        ASSERT_EQ(&first, &f.active());
        static_cast<void>(f.allocate(100));
        EXPECT_DEATH(f.active().rewind(later), "older frame or buffer");
        EXPECT_DEATH(f.active().rewind(of_the_empty), "older frame or buffer");
    }
}

} // namespace
