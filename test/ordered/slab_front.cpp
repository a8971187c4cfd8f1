// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/ordered/detail/slab_front.hpp>

#include <arenite/ordered/detail/slab_heap.hpp>
#include <arenite/os/page_resource.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

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

TEST(block_range, holds_what_lies_from_its_lowest_block_to_the_end_of_its_highest) {
    const auto at = [](std::uintptr_t address) { return reinterpret_cast<const void*>(address); };
    detail::block_range range;
    for (const std::uintptr_t address : {0u, 1u, 0x50000u})
        EXPECT_FALSE(range.may_hold(at(address))) << "there are no blocks";
    range.add(at(0x50000), 0x10000);
    range.add(at(0x90000), 0x10000);
    range.add(at(0x30000), 0x10000);
    range.add(at(0x50000), 0x10000); // it came back
    EXPECT_FALSE(range.may_hold(nullptr));
    EXPECT_FALSE(range.may_hold(at(0x2ffff)));
    EXPECT_TRUE(range.may_hold(at(0x30000)));
    EXPECT_TRUE(range.may_hold(at(0x70000))) << "between two blocks";
    EXPECT_TRUE(range.may_hold(at(0x9ffff)));
    EXPECT_FALSE(range.may_hold(at(0xa0000)));
}

TEST(slab_front, a_ready_slot_of_up_to_8_KiB_is_taken_at_once_and_of_no_other_size) {
    if (detail::slow_only)
        GTEST_SKIP() << "in this build no slot is taken at once";
    const auto fresh = [] {
        return detail::slab_heap{detail::block_options{}, upstream{&page_source()},
                                 detail::heap_owner{.heap = nullptr}};
    };
    for (const std::size_t bytes : {1u, 100u, 1024u, 1025u, 1500u, 2048u, 5000u, 8192u}) {
        detail::slab_heap heap = fresh();
        EXPECT_EQ(heap.try_take_any(bytes, 8), nullptr) << "none of " << bytes << " is ready";
        // The run before a block's bookkeeping may have room for one slot alone.
        std::vector<void*> first{heap.try_allocate(bytes, 16)};
        void* next = heap.try_take_any(bytes, 16);
        if (next == nullptr) {
            first.push_back(heap.try_allocate(bytes, 16));
            next = heap.try_take_any(bytes, 16);
        }
        ASSERT_NE(next, nullptr) << bytes;
        EXPECT_GE(heap.size_of(next), bytes);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(next) % 16, 0u);
        heap.deallocate(next, bytes, 16);
        EXPECT_EQ(heap.try_take_any(bytes, 3), nullptr) << "no alignment";
        EXPECT_EQ(heap.try_take_any(bytes, 0), nullptr) << "no alignment";
        EXPECT_EQ(heap.try_take_any(bytes, 32), nullptr);
        for (void* const p : first)
            heap.deallocate(p, bytes, 16);
    }
    EXPECT_EQ(fresh().try_take_any(8193, 16), nullptr) << "it has no slots";
}

TEST(slab_front, the_next_slot_does_not_wait_for_what_was_just_freed) {
    detail::slab_heap heap{detail::block_options{}, upstream{&page_source()},
                           detail::heap_owner{.heap = nullptr}};
    constexpr std::size_t bytes = 32;
    std::array<void*, 8> p{};
    for (void*& each : p)
        each = heap.try_allocate(bytes, 16);
    ASSERT_TRUE(std::is_sorted(p.begin(), p.end(), std::less<>{}));
    void* const ninth = static_cast<std::byte*>(p[7]) + bytes;
    heap.deallocate(p[2], bytes, 16);
    heap.deallocate(p[5], bytes, 16);
    EXPECT_EQ(heap.try_allocate(bytes, 16), ninth); // which was the lowest when p[7] was taken
    EXPECT_EQ(heap.try_allocate(bytes, 16), p[2]);
    EXPECT_EQ(heap.try_allocate(bytes, 16), p[5]);
}

TEST(slab_front, where_the_next_slot_is_not_free_another_one_of_its_word_is) {
    if (detail::slow_only)
        GTEST_SKIP() << "in this build no slot is taken at once";
    detail::slab_heap heap{detail::block_options{}, upstream{&page_source()},
                           detail::heap_owner{.heap = nullptr}};
    constexpr std::size_t bytes = 32;
    std::vector<void*> p{heap.try_allocate(bytes, 16)};
    while (void* const more = heap.try_take(bytes, 16))
        p.push_back(more);
    ASSERT_GT(p.size(), 3u);
    EXPECT_EQ(heap.try_take_any(bytes, 16), nullptr); // the word has no free slot
    heap.deallocate(p[1], bytes, 16);
    EXPECT_EQ(heap.try_take(bytes, 16), nullptr); // since none was next
    EXPECT_EQ(heap.try_take_any(bytes, 16), p[1]);
    // The next slot is taken by another way: beside an object.
    heap.deallocate(p[0], bytes, 16);
    heap.deallocate(p[2], bytes, 16);
    EXPECT_EQ(heap.try_take_any(bytes, 16), p[0]); // p[2] is next
    EXPECT_EQ(heap.try_allocate_near(p[3], bytes, 16), p[2]);
    EXPECT_EQ(heap.try_take(bytes, 16), nullptr);
    heap.deallocate(p[0], bytes, 16);
    EXPECT_EQ(heap.try_allocate(bytes, 16), p[0]);
}

} // namespace
