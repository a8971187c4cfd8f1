// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/compose/recording_resource.hpp>
#include <arenite/core/concepts.hpp>
#include <arenite/core/system_resource.hpp>
#include <arenite/linear/linear_resource.hpp>
#include <arenite/ordered/ordered_heap.hpp>
#include <arenite/pool/pool_resource.hpp>
#include <arenite/stl/resource_allocator.hpp>

#include <gtest/gtest.h>

#include "support/recorded_file.hpp"

#include <cstddef>
#include <vector>

using namespace arenite;
using support::recorded_event;
using support::recorded_file;
using support::recording_place;

namespace {

using recording_heap = recording_resource<ordered_heap>;
using recording_linear = recording_resource<linear_resource>;

static_assert(Allocating<recording_heap> && Owning<recording_heap> && Sizing<recording_heap> &&
              UnsizedFreeing<recording_heap> && Resizing<recording_heap> &&
              Trimmable<recording_heap> && Measurable<recording_heap> && Mappable<recording_heap> &&
              Resettable<recording_heap> && !Concurrent<recording_heap>);
static_assert(Resettable<recording_linear> && !Markable<recording_linear> &&
              Concurrent<recording_resource<malloc_resource>>);

// Over a heap of others it says of it what observed_resource says.
static_assert(!Mappable<recording_resource<ordered_heap&>> &&
              Measurable<recording_resource<ordered_heap&>>);
static_assert(UnsizedFreeing<recording_resource<pool_resource>>);

TEST(recording_resource, records_what_a_heap_is_asked_for) {
    const recording_place place;
    {
        recording_heap heap{place.c_str(), ordered_options{.sizes = sizes::kept}};
        void* const a = heap.allocate(100);
        void* const b = heap.allocate(41, 8);
        EXPECT_TRUE(heap.try_resize(b, 41, 44, 8));
        EXPECT_FALSE(heap.try_resize(b, 44, 100000, 8)); // not recorded
        EXPECT_EQ(heap.try_allocate(~std::size_t{0} / 2), nullptr);
        heap.deallocate(a); // without its size
        heap.deallocate(b, 44, 8);
        EXPECT_EQ(heap.events(), 5u);
        EXPECT_TRUE(heap.flush());
        EXPECT_TRUE(heap.is_complete());
        EXPECT_EQ(heap.usage().bytes_in_use, 0u);
    }
    EXPECT_EQ(recorded_file{place}.events,
              (std::vector<recorded_event>{
                  {0, 100, 1, 4}, {1, 41, 1, 3}, {1, 44, 4, 0}, {0, 0, 6, 0}, {1, 0, 6, 0}}));
}

TEST(recording_resource, a_reset_frees_all) {
    const recording_place place;
    {
        recording_linear frame{place.c_str(), 4096};
        for (int i = 0; i < 3; ++i)
            static_cast<void>(frame.allocate(10));
        frame.reset();
        static_cast<void>(frame.allocate(10));
    }
    const recorded_file f{place};
    EXPECT_EQ(f.events.size(), 7u);
    EXPECT_EQ(f.live_bytes(), 10u);
}

TEST(recording_resource, stands_in_front_of_a_heap_of_others) {
    const recording_place place;
    ordered_heap heap;
    {
        recording_resource recorded{place.c_str(), heap};
        std::vector<int, resource_allocator<int, recording_resource<ordered_heap&>>> v{recorded};
        for (int i = 0; i < 1000; ++i)
            v.push_back(i);
        EXPECT_GT(heap.usage().bytes_in_use, 4000u);
    }
    const recorded_file f{place};
    EXPECT_GT(f.events.size(), 10u);
    EXPECT_EQ(f.live_bytes(), 0u);
}

TEST(recording_resource, marks_frames) {
    const recording_place place;
    {
        recording_resource<ordered_heap> heap{place.c_str()};
        void* const p = heap.allocate(8, 8);
        heap.mark();
        heap.deallocate(p, 8, 8);
        ARENITE_FRAME();
        EXPECT_EQ(heap.events(), 4u);
    }
    const recorded_file f{place};
    ASSERT_EQ(f.events.size(), 4u);
    EXPECT_EQ(f.events[1].op, 11u);
    EXPECT_EQ(f.events[3].op, 11u);
    EXPECT_EQ(f.events[3].bytes, 2u); // its number
}

} // namespace
