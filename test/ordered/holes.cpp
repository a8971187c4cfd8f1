// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Free memory between objects serves what fits, in time that does not grow with the holes.

#include "ordered/heap_test.hpp"
#include "support/build_mode.hpp"

#include <algorithm>

using namespace ordered_test;

namespace {

// ---- never quadratic ----------------------------------------------------------------------------
// Time is no test; what a wrong search costs shows in memory and upstream calls as well.

class ordered_heap_holes : public heap_test, public testing::WithParamInterface<sizes> {
protected:
    static constexpr std::size_t hole_count = 100'000;

    counting_pages pages;
    ordered_heap heap{ordered_options{.sizes = GetParam()}, &pages};

    /// Free slots of 24 bytes between objects of 24 bytes.
    void make_holes() {
        const auto all = take(heap, 2 * hole_count, 24);
        for (std::size_t i = 0; i < all.size(); i += 2)
            heap.deallocate(all[i], 24, 8);
    }
};

INSTANTIATE_TEST_SUITE_P(heaps, ordered_heap_holes, testing::Values(sizes::given, sizes::kept),
                         [](const auto& which) {
                             return which.param == sizes::given ? "known" : "kept";
                         });

TEST_P(ordered_heap_holes, requests_that_fit_none_are_served_from_clean_memory) {
    make_holes();
    const usage before = heap.usage();
    const std::size_t calls = pages.calls();
    static_cast<void>(take(heap, hole_count, 64));
    const usage after = heap.usage();
    const std::size_t new_bytes = hole_count * 64;
    EXPECT_LE(after.bytes_reserved - before.bytes_reserved, new_bytes + new_bytes / 32 + 2 * 2_MiB);
    EXPECT_LE(pages.calls() - calls, new_bytes / 256_KiB + 2);
}

TEST_P(ordered_heap_holes, alternating_sizes_leave_the_holes_to_those_that_fit) {
    make_holes();
    const usage before = heap.usage();
    for (std::size_t i = 0; i < hole_count * 9 / 10; ++i) {
        static_cast<void>(heap.allocate(24, 8));
        static_cast<void>(heap.allocate(64, 8));
    }
    // The small ones fill the holes, the large ones get memory of their own.
    const std::size_t large_bytes = hole_count * 9 / 10 * 64;
    EXPECT_LE(heap.usage().bytes_reserved - before.bytes_reserved,
              large_bytes + large_bytes / 16 + 2 * 2_MiB);
}

TEST_P(ordered_heap_holes, large_requests_before_small_ones_do_not_cost_the_holes) {
    make_holes();
    static_cast<void>(take(heap, 200, 64)); // more than there are blocks
    const usage before = heap.usage();
    static_cast<void>(take(heap, hole_count * 9 / 10, 24));
    EXPECT_LE(heap.usage().bytes_reserved - before.bytes_reserved, 2_MiB);
}

TEST_P(ordered_heap_holes, decreasing_sizes_fill_what_the_larger_ones_left) {
    make_holes();
    const usage before = heap.usage();
    std::size_t sum = 0;
    for (std::size_t bytes = 512; bytes > 24; bytes -= 8) {
        static_cast<void>(take(heap, 200, bytes));
        sum += 200 * bytes;
    }
    EXPECT_LE(heap.usage().bytes_reserved - before.bytes_reserved, sum + sum / 8 + 2 * 2_MiB);
    const usage between = heap.usage();
    static_cast<void>(take(heap, hole_count * 9 / 10, 24));
    EXPECT_LE(heap.usage().bytes_reserved - between.bytes_reserved, 2_MiB);
}

TEST_P(ordered_heap_holes, increasing_sizes_grow_by_what_is_asked) {
    std::vector<void*> last;
    std::size_t last_bytes = 0;
    std::size_t most = 0;
    for (std::size_t bytes = 16; bytes <= 1024; bytes += 16) { // as a buffer that grows
        auto now = take(heap, 1000, bytes);
        most = std::max(most, heap.usage().bytes_in_use);
        give(heap, last, last_bytes);
        last = std::move(now);
        last_bytes = bytes;
    }
    EXPECT_LE(heap.usage().bytes_reserved, 2 * most + 8_MiB + 2 * 2_MiB);
}

/// Replaces random objects. After a while, in which slabs of each size and a span or two come, it
/// holds the same for ever: over 10 million replacements not a byte more than after 400,000, for
/// 2,000 to 500,000 objects of 24 to 8,000 bytes.
TEST_P(ordered_heap_holes, a_steady_heap_stops_growing) {
    struct load {
        std::size_t count, least, step, steps;
    };
    constexpr int settled = 400'000;
    constexpr int all = support::every_call_is_careful ? 600'000 : 1'600'000;
    for (const load& l :
         {load{50'000, 24, 8, 8}, load{20'000, 16, 8, 63}, load{4'000, 1024, 64, 112}}) {
        SCOPED_TRACE(testing::Message() << l.count << " objects from " << l.least << " bytes on");
        std::mt19937 random{6};
        const auto some_bytes = [&] { return l.least + l.step * (random() % l.steps); };
        std::vector<piece> live;
        for (std::size_t i = 0; i < l.count; ++i) {
            const std::size_t bytes = some_bytes();
            live.push_back({heap.allocate(bytes, 8), bytes});
        }
        std::size_t after_a_while = 0;
        std::size_t most = 0;
        for (int i = 0; i < all; ++i) {
            piece& x = live[random() % live.size()];
            heap.deallocate(x.p, x.bytes, 8);
            x.bytes = some_bytes();
            x.p = heap.allocate(x.bytes, 8);
            if (i == settled)
                after_a_while = heap.usage().bytes_reserved;
            if (i % 50'000 == 0 && i > settled)
                most = std::max(most, heap.usage().bytes_reserved);
        }
        EXPECT_LE(most, after_a_while + after_a_while / 50);
        EXPECT_LE(after_a_while, heap.usage().bytes_in_use * 5 / 4 + 2_MiB);
        for (const piece& x : live)
            heap.deallocate(x.p, x.bytes, 8);
        heap.trim();
    }
}

/// Blocks are found by powers of two. In the highest ones a run is a little too short for a
/// request, in the others it is just long enough.
TEST(ordered_heap_blocks, a_large_heap_looks_into_blocks_that_may_have_a_run_before_it_grows) {
    if (passthrough())
        GTEST_SKIP() << "malloc has the objects";
    ordered_heap heap;
    std::vector<void*> low;
    for (int i = 0; i < 150 * 6; ++i)
        low.push_back(heap.allocate(39 * 1024, 8)); // six a block
    std::vector<void*> high;
    for (int i = 0; i < 40 * 7; ++i)
        high.push_back(heap.allocate(31 * 1024, 8)); // seven a block
    for (std::size_t i = 0; i < low.size(); i += 6)
        heap.deallocate(low[i], 39 * 1024, 8);
    for (std::size_t i = 0; i < high.size(); i += 7)
        heap.deallocate(high[i], 31 * 1024, 8);
    const std::size_t reserved = heap.usage().bytes_reserved;
    for (std::size_t i = 0; i < low.size(); i += 6)
        low[i] = heap.allocate(39 * 1024, 8);
    for (int i = 0; i < 10; ++i) // what the last span had left is not enough for these
        static_cast<void>(heap.allocate(39 * 1024, 8));
    EXPECT_EQ(heap.usage().bytes_reserved, reserved);
    heap.reset();
}

} // namespace
