// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/check/detail/poison.hpp>
#include <arenite/check/passthrough.hpp>
#include <arenite/core/concepts.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/linear/frame_resource.hpp>
#include <arenite/linear/scope.hpp>

#include <gtest/gtest.h>

#include "support/counting_resource.hpp"
#include "support/pattern.hpp"
#include "support/region_list.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

using namespace arenite;
using support::pattern;

namespace {

static_assert(Allocating<frame_resource<3>>);
static_assert(Owning<frame_resource<3>>);
static_assert(Resettable<frame_resource<3>>);
static_assert(Trimmable<frame_resource<3>>);
static_assert(Measurable<frame_resource<3>>);
static_assert(Mappable<frame_resource<3>>);
static_assert(!Markable<frame_resource<3>>, "a marker is of one frame");
static_assert(!std::is_copy_constructible_v<frame_resource<3>>);
static_assert(std::is_convertible_v<frame_resource<3>&, linear_resource&>);

TEST(frame_resource, keeps_what_was_allocated_for_n_minus_1_further_frames) {
    frame_resource<3> frames{10'000};
    std::array<void*, 3> made{};
    for (unsigned n = 1; n <= 20; ++n) {
        EXPECT_EQ(frames.number(), n);
        EXPECT_EQ(frames.index(), (n - 1) % 3);
        EXPECT_EQ(&frames.current(), &frames[frames.index()]);
        EXPECT_EQ(frames.current().in_use(), 0u);
        made[frames.index()] = frames.allocate(1000);
        pattern{n}.write(made[frames.index()], 1000);
        for (unsigned older = n < 3 ? 1 : n - 2; older <= n; ++older) {
            const std::size_t index = (older - 1) % 3;
            EXPECT_TRUE((pattern{older}.holds(made[index], 1000)));
            EXPECT_TRUE(frames[index].owns(made[index]));
            EXPECT_TRUE(frames.owns(made[index]));
        }
        linear_resource& next = frames.next();
        EXPECT_EQ(&next, &frames.current());
    }
}

TEST(frame_resource, awaits_the_fence_of_the_frame_whose_memory_comes_next) {
    frame_resource<3> frames{1000};
    for (std::uint64_t completed : {0u, 0u, 1u, 2u, 7u, 7u, 7u}) {
        EXPECT_EQ(frames.fence(), frames.number());
        EXPECT_EQ(frames.awaited(), frames.number() < 3 ? 0 : frames.number() - 2);
        EXPECT_TRUE(frames.ready(completed));
        if (frames.awaited() > 0) {
            EXPECT_FALSE(frames.ready(frames.awaited() - 1));
        }
        frames.next(completed);
    }
    EXPECT_EQ(frames.number(), 8u);
}

TEST(frame_resource, takes_the_fence_values_of_others) {
    frame_resource<2> frames{1000};
    frames.set_fence(100);
    EXPECT_EQ(frames.fence(), 100u);
    frames.next(0);
    EXPECT_EQ(frames.awaited(), 100u);
    EXPECT_FALSE(frames.ready(99));
    EXPECT_TRUE(frames.ready(100));
    frames.set_fence(200);
    frames.next(100);
    EXPECT_EQ(frames.awaited(), 200u);
    EXPECT_EQ(frames.fence(), 3u) << "a new frame's is its number until told otherwise";
}

TEST(frame_resource, of_one_frame_awaits_that_very_frame) {
    frame_resource<1> frames{1000};
    EXPECT_EQ(frames.awaited(), 1u);
    void* p = frames.allocate(10);
    frames.next(1);
    void* q = frames.allocate(10);
    if (!passthrough()) {
        EXPECT_EQ(q, p);
    }
    EXPECT_EQ(frames.awaited(), 2u);
}

TEST(frame_resource, is_passed_as_the_current_frame) {
    frame_resource<3> frames{1000};
    linear_resource& now = frames;
    EXPECT_EQ(&now, &frames.current());
    EXPECT_EQ(&std::as_const(frames).current(), &now);
    EXPECT_EQ(&std::as_const(frames)[0], &now);
    frames.next();
    linear_resource& later = frames;
    EXPECT_NE(&now, &later);
    {
        scope s{frames};
        static_assert(std::is_same_v<decltype(s), scope<linear_resource>>);
        static_cast<void>(frames.allocate(100));
    }
    EXPECT_EQ(later.in_use(), 0u);
    EXPECT_EQ(frames.count(), 3u);
    EXPECT_EQ(frames.capacity(), 1000u);
}

TEST(frame_resource, what_is_given_back_late_stays_as_it_is) {
    frame_resource<2> frames{1000};
    void* old = frames.allocate(100);
    pattern{1}.write(old, 100);
    frames.next();
    void* now = frames.allocate(100);
    frames.deallocate(now, 100);
    EXPECT_EQ(frames.current().in_use(), 0u);
    if (!passthrough()) {
        frames.deallocate(old, 100); // say by a container whose scope is wider than the frame
        if (checks_enabled || !detail::poison::reports_access()) {
            EXPECT_TRUE((pattern{1}.holds(old, 100))) << "somebody still reads it";
        }
    }
    frames.next();
    EXPECT_EQ(frames.current().in_use(), 0u);
}

TEST(frame_resource, each_frame_asks_upstream_once_and_when_needed) {
    support::counting_resource up;
    {
        frame_resource<3> frames{1000, &up};
        EXPECT_EQ(up.calls(), 0u);
        if (passthrough())
            GTEST_SKIP() << "each allocation is one of malloc's";
        for (int i = 0; i < 10; ++i) {
            static_cast<void>(frames.allocate(10));
            frames.next();
        }
        EXPECT_EQ(up.calls(), 3u);
        EXPECT_EQ(frames.usage().bytes_reserved, 3000u);
        frames.trim();
        EXPECT_EQ(up.live(), 2u) << "the current one is empty";
        frame_resource<3> at_once{1000, linear_options{.eager = true}, &up};
        EXPECT_EQ(up.live(), 5u);
    }
    EXPECT_EQ(up.live(), 0u);
}

TEST(frame_resource, a_full_frame_fails_and_the_next_does_not) {
    for (const std::size_t capacity : {0u, 10u}) {
        frame_resource<2> frames{capacity};
        for (int i = 0; i < 5; ++i) {
            EXPECT_EQ(frames.try_allocate(capacity + 1, 1), nullptr);
            if (capacity > 0) {
                EXPECT_NE(frames.try_allocate(capacity, 1), nullptr);
            }
            EXPECT_EQ(frames.try_allocate(1, 1), nullptr);
            frames.next();
        }
    }
}

TEST(frame_resource, usage_and_list_are_those_of_all_frames) {
    if (passthrough())
        GTEST_SKIP() << "with passthrough there are no regions";
    frame_resource<3> frames{1000};
    void* p = frames.allocate(100, 1);
    EXPECT_TRUE(frames.try_resize(p, 100, 150));
    frames.next();
    static_cast<void>(frames.allocate(200, 1));
    EXPECT_EQ(frames.in_use(), 350u);
    EXPECT_EQ(frames.high_water(), frames.usage().high_water_bytes);
    EXPECT_EQ(frames.usage(), (usage{.bytes_in_use = 350,
                                     .bytes_reserved = 2000,
                                     .high_water_bytes = 350,
                                     .largest_hole_bytes = 800}));
    const support::region_list list{frames};
    EXPECT_EQ(list.bytes(), 2000u);
    EXPECT_EQ(list.bytes(region_state::used), 350u);
    frames.reset();
    EXPECT_EQ(frames.usage().bytes_in_use, 150u) << "the current frame alone";
}

// Regions of page_source() lie side by side, too: where one ends, the next one begins.
TEST(frame_resource, resizes_nothing_of_a_frame_in_flight_that_ends_where_the_current_one_begins) {
    if (passthrough())
        GTEST_SKIP() << "with passthrough there are no regions";
    linear_resource side_by_side{4000};
    frame_resource<2> frames{1024, side_by_side};
    void* const p = frames.allocate(1024, 1);
    frames.next();
    auto* const begin = static_cast<std::byte*>(frames.allocate(1, 1));
    ASSERT_EQ(begin, static_cast<std::byte*>(p) + 1024) << "the regions touch";
    frames.deallocate(begin, 1, 1);
    for (const std::size_t bytes : {1100U, 900U})
        EXPECT_FALSE(frames.try_resize(p, 1024, bytes)) << bytes;
    EXPECT_EQ(frames.current().in_use(), 0U);
    EXPECT_EQ(frames.allocate(10, 1), begin);
}

TEST(frame_resource, with_passthrough_goes_to_malloc) {
    const bool before = detail::set_passthrough_for_test(true);
    support::counting_resource up;
    {
        frame_resource<2> frames{1000, &up};
        void* a = frames.allocate(100);
        frames.next();
        static_cast<void>(frames.allocate(100));
        EXPECT_TRUE(frames.owns(a));
        frames.next();
        EXPECT_EQ(frames.current().in_use(), 0u);
        EXPECT_EQ(frames.usage().bytes_in_use, 100u);
    }
    EXPECT_EQ(up.calls(), 0u);
    detail::set_passthrough_for_test(before);
}

TEST(frame_resource_death, a_frame_in_flight_is_not_used_again) {
    frame_resource<2> frames{1000};
    frames.next(0);
    EXPECT_DEATH(frames.next(0), "still in flight.*its fence is 1, reached is 0");
    frames.next(1);
    frames.set_fence(77);
    frames.next(3);
    EXPECT_DEATH(frames.next(76), "its fence is 77, reached is 76");
}

TEST(frame_resource_death, an_index_out_of_range_is_refused_in_every_build) {
    frame_resource<3> frames{1000};
    EXPECT_DEATH(static_cast<void>(frames[3]), "frame index 3, but there are 3 frames");
    EXPECT_DEATH(static_cast<void>(std::as_const(frames)[static_cast<std::size_t>(-1)]),
                 "frame index");
}

TEST(frame_resource_death, a_checked_build_reports_the_use_of_a_frame_that_is_not_current) {
    if constexpr (checks_enabled) {
        frame_resource<3> frames{1000};
        linear_resource& stale = frames;
        void* p = stale.allocate(10, 1);
        const auto m = stale.mark();
        EXPECT_DEATH(static_cast<void>(frames[1].try_allocate(1)), "only the current frame");
        frames.next();
        EXPECT_DEATH(static_cast<void>(stale.try_allocate(1)), "only the current frame");
        EXPECT_DEATH(stale.rewind(m), "in flight");
        EXPECT_DEATH(stale.reset(), "in flight");
        if (!passthrough()) {
            EXPECT_DEATH(static_cast<void>(stale.try_resize(p, 10, 5)), "in flight");
        }
    }
}

TEST(frame_resource_death, a_checked_build_refuses_the_markers_of_an_older_frame) {
    if constexpr (checks_enabled) {
        frame_resource<2> frames{1000};
        const auto of_the_empty = frames.current().mark();
        static_cast<void>(frames.allocate(10));
        const auto later = frames.current().mark();
        frames.next();
        EXPECT_DEATH(frames.current().rewind(later), "another resource");
        frames.next();
        static_cast<void>(frames.allocate(100));
        EXPECT_DEATH(frames.current().rewind(later), "older frame");
        EXPECT_DEATH(frames.current().rewind(of_the_empty), "older frame");
    }
}

TEST(frame_resource_death, a_checked_build_reports_the_next_frame_while_a_scope_is_open) {
    if constexpr (checks_enabled) {
        frame_resource<2> frames{1000};
        EXPECT_DEATH(
            {
                scope s{frames};
                frames.next();
            },
            "while a scope is open");
    }
}

} // namespace
