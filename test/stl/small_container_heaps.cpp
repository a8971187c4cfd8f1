// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/check/passthrough.hpp>
#include <arenite/stl/detail/small_container_heaps.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <thread>
#include <vector>

using namespace arenite;
using detail::container_heap;
using detail::small_container_heaps;

namespace {

TEST(small_container_heaps_threads, are_made_with_the_first_slot_and_go_to_the_next_thread) {
    if (passthrough())
        GTEST_SKIP() << "memory comes from malloc";
    constexpr std::size_t kind = 9;
    const small_container_heaps* seen[2] = {};
    for (const small_container_heaps*& mine : seen) {
        std::thread{[&mine] {
            EXPECT_EQ(small_container_heaps::of_this_thread(), nullptr);
            void* const p = small_container_heaps::try_allocate_slow(kind);
            small_container_heaps* const heaps = small_container_heaps::of_this_thread();
            ASSERT_NE(heaps, nullptr);
            EXPECT_EQ(&container_heap::of(p), heaps->heap(kind));
            EXPECT_EQ(heaps->heap(kind)->small_heaps(), heaps);
            heaps->heap(kind)->deallocate(p);
            mine = heaps;
        }}.join();
    }
    EXPECT_EQ(seen[0], seen[1]);
}

TEST(small_container_heaps_threads, what_outlives_its_thread_goes_back_as_others_free_it) {
    if (passthrough())
        GTEST_SKIP() << "memory comes from malloc";
    constexpr std::size_t kind = 11;
    std::vector<void*> left(1000);
    std::thread{[&left] {
        for (void*& p : left)
            p = small_container_heaps::try_allocate_slow(kind);
    }}.join();
    container_heap& heap = container_heap::of(left.front());
    const std::size_t before = heap.usage().live_allocations;
    EXPECT_GE(before, left.size());
    for (void* const p : left) {
        ASSERT_EQ(&container_heap::of(p), &heap);
        heap.deallocate_foreign(p);
    }
    EXPECT_EQ(heap.usage().live_allocations, before - left.size()) << "nobody is to come for them";
}

} // namespace
