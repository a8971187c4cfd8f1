// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
// ordered_heap: large requests, and sizes that are kept.

// Sizes, alignments, counting: what holds for each request. Order, memory and misuse have files of
// their own.
#include <arenite/block/detail/colouring.hpp>
#include <arenite/core/concepts.hpp>
#include <arenite/core/create.hpp>
#include <arenite/linear/linear_resource.hpp>

#include "ordered/heap_test.hpp"

#include <array>
#include <cstring>
#include <map>
#include <memory>
#include <memory_resource>
#include <ostream>
#include <set>
#include <span>
#include <vector>

using namespace ordered_test;

namespace {

// ---- large requests -----------------------------------------------------------------------------

/// A heap whose open hole has less than an eighth of a block left.
class ordered_heap_large : public heap_test {
protected:
    static constexpr std::size_t eighth = other_block / 8;

    counting_resource up;
    ordered_heap heap{ordered_options{.block_bytes = other_block}, &up};
    std::vector<void*> filler = take(heap, 7, eighth);
};

TEST_F(ordered_heap_large, an_eighth_of_a_block_comes_from_a_block) {
    ASSERT_EQ(up.live_bytes(), other_block);
    void* p = heap.allocate(eighth, 8);
    EXPECT_EQ(up.live_bytes(), 2 * other_block);
    const std::size_t calls = up.calls();
    heap.deallocate(p, eighth, 8);
    for (int i = 0; i < 7; ++i)
        static_cast<void>(heap.allocate(eighth, 8));
    EXPECT_EQ(up.calls(), calls) << "the rest of that block was there";
}

TEST_F(ordered_heap_large, more_than_a_quarter_goes_to_the_upstream_and_back) {
    constexpr std::size_t most = other_block / 4 - detail::unit_bytes;
    for (const std::size_t bytes :
         {most + 1, most + 8, 2 * most, other_block - 1, other_block, other_block + 1, 3_MiB}) {
        const usage before = heap.usage();
        void* p = heap.allocate(bytes, 8);
        EXPECT_EQ(up.live(), 2u);
        EXPECT_EQ(heap.usage().bytes_in_use, before.bytes_in_use + align_up(bytes, 8));
        EXPECT_EQ(heap.usage().bytes_reserved, up.live_bytes());
        EXPECT_GE(heap.usage().high_water_bytes, before.bytes_in_use + bytes);
        EXPECT_TRUE(heap.owns(p));
        EXPECT_TRUE(heap.owns(plus(p, bytes - 1)));
        pattern{bytes}.write(p, bytes);
        EXPECT_TRUE((pattern{bytes}.holds(p, bytes)));
        heap.deallocate(p, bytes, 8);
        EXPECT_FALSE(heap.owns(p));
        EXPECT_EQ(heap.usage().bytes_in_use, before.bytes_in_use);
        EXPECT_EQ(heap.usage().bytes_reserved, up.live_bytes());
        heap.trim();
        EXPECT_EQ(up.live(), 1u) << bytes;
        EXPECT_EQ(heap.usage().bytes_reserved, before.bytes_reserved);
    }
}

TEST_F(ordered_heap_large, vectors_that_grow_and_end_soon_ask_the_upstream_for_nothing_more) {
    ordered_heap keeping{ordered_options{.policy = {.keep_bytes = 8_MiB}}, &up};
    const auto grow = [&] {
        std::pmr::vector<int> v{&keeping};
        for (int i = 0; i < 300'000; ++i)
            v.push_back(i);
    };
    for (int i = 0; i < 4; ++i)
        grow();
    const std::size_t calls = up.calls();
    for (int i = 0; i < 10; ++i)
        grow();
    EXPECT_EQ(up.calls(), calls);
}

TEST_F(ordered_heap_large, costs_a_head_and_a_multiple_of_its_alignment) {
    for (const std::size_t alignment : {8_B, 64_B, 4_KiB, 64_KiB, 1_MiB}) {
        const std::size_t before = up.live_bytes();
        void* p = heap.allocate(100_KiB, alignment);
        // A head of 64 bytes, up to 3 cache lines of colour, and what alignment asks.
        EXPECT_LE(up.live_bytes() - before,
                  100_KiB + 64 + detail::colour_count * detail::colour_bytes + alignment);
        heap.deallocate(p, 100_KiB, alignment);
    }
}

TEST_F(ordered_heap_large, those_of_one_size_do_not_begin_at_one_offset) {
    std::set<std::size_t> offsets;
    const auto all = take(heap, 8, 100_KiB);
    for (void* p : all)
        offsets.insert(address_of(p) % 4_KiB);
    EXPECT_GE(offsets.size(), 4u) << "they would share a cache set";
    give(heap, all, 100_KiB);
}

TEST_F(ordered_heap_large, a_failed_one_changes_nothing) {
    const usage before = heap.usage();
    up.fail_after(0);
    EXPECT_EQ(heap.try_allocate(1_MiB), nullptr);
    EXPECT_EQ(heap.try_allocate(8, 1_MiB), nullptr);
    EXPECT_EQ(heap.usage(), before);
    up.never_fail();
    void* p = heap.try_allocate(1_MiB);
    EXPECT_NE(p, nullptr);
    heap.deallocate(p, 1_MiB);
}

// ---- sizes that are kept ------------------------------------------------------------------------

TEST_F(heap_test, a_kept_size_is_the_request_rounded_up) {
    counting_pages pages;
    ordered_heap heap{kept, &pages};
    for (const std::size_t alignment : {1_B, 8_B, 16_B, 64_B, 4_KiB, 1_MiB}) {
        for (const std::size_t bytes :
             {0_B, 1_B, 8_B, 100_B, 5000_B, 31_KiB, 33_KiB, 300_KiB, 5_MiB}) {
            void* p = heap.allocate(bytes, alignment);
            EXPECT_EQ(heap.size_of(p), usable(bytes, alignment)) << bytes << " at " << alignment;
            std::memset(p, 1, heap.size_of(p)); // to a memory checker, too
            EXPECT_EQ(heap.usage().bytes_in_use, rounded(bytes, alignment));
            EXPECT_EQ(heap.usage().live_allocations, 1u);
            heap.deallocate(p);
            EXPECT_EQ(heap.usage().bytes_in_use, 0u);
            EXPECT_EQ(heap.usage().live_allocations, 0u);
        }
    }
}

TEST_F(heap_test, all_that_is_usable_may_be_written) {
    counting_pages pages;
    ordered_heap heap{kept, &pages};
    for (const std::size_t about : {40_B, 2_KiB, 9_KiB, 63_KiB, 100_KiB})
        for (std::size_t bytes = about - 20; bytes != about + 20; ++bytes) {
            void* const p = heap.allocate(bytes, 8);
            ASSERT_GE(heap.size_of(p), bytes);
            std::memset(p, 1, heap.size_of(p));
            ASSERT_LE(heap.size_of(p), heap.usage().bytes_in_use) << bytes;
            heap.deallocate(p, bytes, 8);
        }
}

TEST_F(heap_test, neighbours_keep_their_own_sizes) {
    counting_pages pages;
    ordered_heap heap{kept, &pages};
    std::mt19937 random{2};
    std::map<void*, std::size_t> live;
    for (int i = 0; i < 30'000; ++i) {
        if (live.size() < 500 || random() % 2 == 0) {
            const std::size_t bytes = 1 + random() % 200;
            live.emplace(heap.allocate(bytes, 8), bytes);
        } else {
            const auto x = std::next(live.begin(), static_cast<std::ptrdiff_t>(random() % 50));
            ASSERT_EQ(heap.size_of(x->first), usable(x->second, 8));
            heap.deallocate(x->first);
            live.erase(x);
        }
    }
    std::size_t sum = 0;
    for (const auto& [p, bytes] : live) {
        ASSERT_EQ(heap.size_of(p), usable(bytes, 8));
        sum += rounded(bytes, 8);
    }
    EXPECT_EQ(heap.usage().bytes_in_use, sum);
    EXPECT_EQ(heap.usage().live_allocations, live.size());
}

} // namespace
