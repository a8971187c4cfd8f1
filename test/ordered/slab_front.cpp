// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/ordered/detail/slab_front.hpp>

#include <arenite/ordered/detail/slab_heap.hpp>
#include <arenite/os/page_resource.hpp>

#include <gtest/gtest.h>

using namespace arenite;

namespace {

TEST(slab_front, a_heap_in_its_room_is_the_front_and_what_stands_behind_it) {
    int owner = 0;
    detail::slab_heap_room room{detail::block_options{}, upstream{&page_source()},
                                detail::heap_owner{.heap = &owner}};
    const detail::slab_front* const behind = &room.heap();
    EXPECT_EQ(behind, &room.front());
    EXPECT_EQ(room.heap().owner().heap, &owner);

    void* const p = room.front().try_allocate(48, 16);
    void* const large = room.front().try_allocate(100'000, 16);
    ASSERT_NE(p, nullptr);
    ASSERT_NE(large, nullptr);
    EXPECT_EQ(room.heap().usage().live_allocations, 2u);
    room.front().deallocate(large, 100'000, 16);
    room.front().deallocate(p);
    EXPECT_EQ(room.heap().usage().live_allocations, 0u);
}

TEST(slab_front, no_size_that_a_caller_gives_is_taken_for_one_that_is_missing) {
    using detail::slab_front;
    static_assert(slab_front::given_bytes(0) == 0);
    static_assert(slab_front::given_bytes(48) == 48);
    static_assert(slab_front::given_bytes(detail::unknown_bytes) == detail::unknown_bytes - 1);
}

} // namespace
