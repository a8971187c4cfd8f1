// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/core/literals.hpp>
#include <arenite/offset/detail/move_planner.hpp>
#include <arenite/offset/offset_allocator.hpp>
#include <arenite/offset/offset_heap.hpp>

#include <gtest/gtest.h>

#include "support/block_source.hpp"
#include "support/counting_resource.hpp"
#include "support/operations.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <utility>
#include <vector>

using namespace arenite;

namespace {

// [hole][b][hole][d][hole], each of 100, the last of 200
class holes : public testing::Test {
protected:
    void SetUp() override {
        a = *gpu.try_allocate(100);
        b = *gpu.try_allocate(100, 1, {.user_data = 7});
        const auto c = *gpu.try_allocate(100);
        d = *gpu.try_allocate(100);
        gpu.deallocate(a);
        gpu.deallocate(c);
    }
    support::counting_resource up;
    offset_allocator gpu{600, {.user_data = true}, &up};
    offset_allocation a, b, d;
};

TEST_F(holes, what_lies_at_the_end_goes_to_a_lower_place) {
    const offset_moves todo = gpu.step(budget::unlimited());
    ASSERT_EQ(todo.size(), 1u) << "for b nothing lower is left";
    EXPECT_EQ(todo[0].from, d);
    EXPECT_EQ(todo[0].to.offset, 0u);
    EXPECT_EQ(todo[0].to.bytes, 100u);
    gpu.commit(todo);
    EXPECT_TRUE(gpu.is_live(todo[0].to));
    EXPECT_FALSE(gpu.is_live(d));
    EXPECT_EQ(gpu.largest_free(), 400u);
    EXPECT_TRUE(gpu.step(budget::unlimited()).done());
}

TEST_F(holes, both_ends_of_a_move_are_taken_until_it_is_settled) {
    const offset_moves todo = gpu.step({.moves = 1});
    ASSERT_EQ(todo.size(), 1u);
    EXPECT_EQ(gpu.free_bytes(), 300u);
    EXPECT_TRUE(gpu.is_live(d));
    EXPECT_FALSE(gpu.is_live(todo[0].to)) << "it is not the user's yet";
    EXPECT_EQ(gpu.usage().live_allocations, 2u);
    auto moving = d;
    EXPECT_FALSE(gpu.try_resize(moving, 50));
    gpu.cancel(todo);
    EXPECT_EQ(gpu.free_bytes(), 400u);
    EXPECT_TRUE(gpu.is_live(d));
    EXPECT_TRUE(gpu.try_resize(moving, 50));
}

TEST_F(holes, what_is_freed_amid_a_move_drops_out) {
    const offset_moves todo = gpu.step({.moves = 1});
    gpu.deallocate(d);
    EXPECT_EQ(gpu.usage().live_allocations, 1u);
    gpu.commit(todo);
    EXPECT_FALSE(gpu.is_live(todo[0].to));
    EXPECT_EQ(gpu.free_bytes(), 500u);
    gpu.commit(todo);
    gpu.cancel(todo);
    EXPECT_EQ(gpu.free_bytes(), 500u) << "settled ones are passed over";
}

TEST_F(holes, user_data_goes_along) {
    gpu.deallocate(d);
    const offset_moves todo = gpu.step(budget::unlimited());
    ASSERT_EQ(todo.size(), 1u);
    EXPECT_EQ(todo[0].user_data, 7u);
    gpu.set_user_data(b, 8);
    gpu.commit(todo);
    EXPECT_EQ(gpu.user_data(todo[0].to), 8u);
    gpu.commit(todo);
    EXPECT_TRUE(gpu.is_live(todo[0].to)) << "a second commit does nothing";
}

TEST_F(holes, pinned_ones_and_kinds_that_may_not_move_stay) {
    gpu.pin(b);
    gpu.pin(d);
    EXPECT_TRUE(gpu.step(budget::unlimited()).empty());
    gpu.unpin(d);
    EXPECT_EQ(gpu.step(budget::unlimited()).size(), 1u) << "there is something new to do";
    offset_allocator images{600, {.optimal_may_move = false}};
    const auto first = *images.try_allocate(100, 1, {.kind = offset_kind::optimal});
    static_cast<void>(images.try_allocate(100, 1, {.kind = offset_kind::optimal}));
    static_cast<void>(images.try_allocate(100, 1, {.pinned = true}));
    images.deallocate(first);
    const offset_moves none = images.step(budget::unlimited());
    EXPECT_TRUE(none.empty() && none.done());
}

TEST_F(holes, a_step_without_a_change_since_the_last_has_nothing_to_say) {
    offset_moves todo = gpu.step(budget::unlimited());
    while (!todo.done()) {
        gpu.commit(todo);
        todo = gpu.step(budget::unlimited());
    }
    EXPECT_TRUE(todo.empty());
    EXPECT_TRUE(gpu.step(budget::unlimited()).done());
}

TEST_F(holes, what_slides_overlaps_and_all_that_is_free_is_pushed_together) {
    gpu.deallocate(d);
    const auto large = *gpu.try_allocate(350, 50);
    EXPECT_EQ(large.offset, 200u);
    EXPECT_EQ(gpu.make_room(150, 1, budget::unlimited()).result(), offset_moves::state::stuck);
    const offset_moves first =
        gpu.make_room(150, 1, budget::unlimited(), offset_moves::may_overlap);
    ASSERT_EQ(first.size(), 1u);
    EXPECT_EQ(first[0].from, b);
    EXPECT_FALSE(first[0].overlaps()) << "the hole is as long as it is";
    gpu.commit(first);
    const offset_moves second =
        gpu.make_room(150, 1, budget::unlimited(), offset_moves::may_overlap);
    ASSERT_EQ(second.size(), 1u);
    EXPECT_EQ(second[0].from, large);
    EXPECT_TRUE(second[0].overlaps());
    EXPECT_EQ(second[0].to.offset, 100u);
    EXPECT_EQ(gpu.free_bytes(), 50u) << "the hole below is taken, what it leaves is not free yet";
    gpu.commit(second);
    EXPECT_TRUE(gpu.try_allocate(150));
    EXPECT_EQ(gpu.free_bytes(), 0u);
}

TEST_F(holes, room_is_made_by_sliding_where_nothing_else_helps) {
    gpu.deallocate(b);
    gpu.deallocate(d);
    // [60 free][200][80 free][200][60 free]
    const auto f = *gpu.try_allocate(60);
    const auto x = *gpu.try_allocate(200);
    const auto g = *gpu.try_allocate(80);
    const auto y = *gpu.try_allocate(200);
    gpu.deallocate(f);
    gpu.deallocate(g);
    EXPECT_EQ(gpu.make_room(200, 1, budget::unlimited()).result(), offset_moves::state::stuck);
    for (offset_moves todo = gpu.make_room(200, 1, budget::unlimited(), offset_moves::may_overlap);
         !todo.done();
         todo = gpu.make_room(200, 1, budget::unlimited(), offset_moves::may_overlap)) {
        ASSERT_EQ(todo.result(), offset_moves::state::more);
        gpu.commit(todo);
    }
    EXPECT_TRUE(gpu.try_allocate(200));
    EXPECT_FALSE(gpu.is_live(x) && gpu.is_live(y)) << "one moved at least";
}

TEST(move_planner, sliding_makes_room_for_every_request_for_which_enough_is_free) {
    std::mt19937_64 random{4711};
    for (int turn = 0; turn < 40; ++turn) {
        offset_allocator gpu{10'000};
        std::vector<offset_allocation> all;
        while (const auto a = gpu.try_allocate(1 + random() % 900))
            all.push_back(*a);
        std::shuffle(all.begin(), all.end(), random);
        for (std::size_t i = all.size() / 2; i < all.size(); ++i)
            gpu.deallocate(all[i]);
        const std::uint64_t wanted = gpu.free_bytes();
        int rounds = 0;
        for (bool done = false; !done; ++rounds) {
            const offset_moves todo =
                gpu.make_room(wanted, 1, {.moves = 10}, offset_moves::may_overlap);
            ASSERT_NE(todo.result(), offset_moves::state::stuck);
            done = todo.done();
            for (const offset_move& m : todo)
                EXPECT_TRUE(m.to.offset < m.from.offset || !m.overlaps());
            gpu.commit(todo);
            ASSERT_LT(rounds, 2000);
        }
        EXPECT_TRUE(gpu.try_allocate(wanted)) << wanted << " bytes, all that is free";
    }
}

/// However many rounds it takes; where moves stay apart three are enough of them.
TEST(move_planner, sliding_goes_on_until_all_that_is_free_lies_together) {
    std::uint64_t seed = support::test_seed("sliding_goes_on");
    for (int program = 0; program < 20; ++program, ++seed) {
        SCOPED_TRACE(testing::Message() << "ARENITE_TEST_SEED=" << seed);
        std::mt19937_64 random{seed};
        support::counting_resource up;
        offset_allocator gpu{100'000, {}, &up};
        std::vector<offset_allocation> all;
        while (const auto a = gpu.try_allocate(1 + random() % 2000))
            all.push_back(*a);
        for (std::size_t i = 0; i < all.size(); i += 2)
            gpu.deallocate(all[i]);
        bool done = false;
        for (int steps = 0; !done; ++steps) {
            ASSERT_LT(steps, 100'000);
            const offset_moves todo =
                gpu.step({.moves = 1 + random() % 3}, offset_moves::may_overlap);
            done = todo.done();
            gpu.commit(todo);
        }
        EXPECT_EQ(gpu.largest_free(), gpu.free_bytes());
    }
}

TEST(move_planner, where_room_is_made_the_request_fits_whatever_must_keep_apart) {
    std::mt19937_64 random{4711};
    int made = 0;
    for (int turn = 0; turn < 5000; ++turn) {
        offset_allocator gpu{256 + random() % 300, {.conflict_page = 64}};
        const auto some_kind = [&] {
            return request_options{.kind = random() % 2 == 0 ? offset_kind::linear
                                                             : offset_kind::optimal};
        };
        std::vector<offset_allocation> all;
        for (std::uint64_t i = 3 + random() % 8; i != 0; --i) {
            if (const auto a = gpu.try_allocate(1 + random() % 60, 1, some_kind()))
                all.push_back(*a);
        }
        for (const auto& a : all) {
            if (random() % 2 == 0)
                gpu.deallocate(a);
        }
        const std::uint64_t bytes = 40 + random() % 150;
        const request_options options = some_kind();
        const offset_moves todo =
            gpu.make_room(bytes, 1, budget::unlimited(), offset_moves::apart, options);
        if (!todo.done())
            continue;
        made += todo.empty() ? 0 : 1;
        gpu.commit(todo);
        EXPECT_TRUE(gpu.try_allocate(bytes, 1, options)) << "turn " << turn;
    }
    EXPECT_GT(made, 100) << "and there were such that something had to move for";
}

TEST(move_planner, the_emptiest_block_goes_into_fuller_ones_and_back_to_its_source) {
    support::block_source device;
    offset_heap heap{
        device.source(),
        {.first_block_bytes = 1000, .largest_block_bytes = 1000, .keep_empty_blocks = 0}};
    std::vector<offset_allocation> all;
    for (int i = 0; i < 40; ++i)
        all.push_back(*heap.try_allocate(100));
    ASSERT_EQ(heap.block_count(), 4u);
    // 2, 9, 9 and 9 are left
    for (int i = 0; i < 40; ++i) {
        if (i < 8 || i % 10 == 0)
            heap.deallocate(all[static_cast<std::size_t>(i)]);
    }
    offset_moves todo = heap.step(budget::unlimited());
    const void* const emptied = heap.block_of(all[8]);
    ASSERT_EQ(todo.size(), 2u);
    for (const offset_move& m : todo) {
        EXPECT_EQ(m.from_block, emptied);
        EXPECT_NE(m.to_block, emptied);
    }
    heap.commit(todo);
    EXPECT_EQ(device.count(), 3u);
    todo = heap.step(budget::unlimited());
    EXPECT_TRUE(todo.done() && todo.empty());
    EXPECT_EQ(todo.could_gain(), 100u) << "less than a block";
}

TEST(move_planner, blocks_into_whose_holes_nothing_fits_slide) {
    support::block_source device;
    offset_heap heap{
        device.source(),
        {.first_block_bytes = 1000, .largest_block_bytes = 1000, .keep_empty_blocks = 0}};
    std::vector<offset_allocation> all;
    for (int i = 0; i < 24; ++i)
        all.push_back(*heap.try_allocate(i % 2 == 0 ? 100 : 150));
    ASSERT_EQ(heap.block_count(), 3u);
    for (std::size_t i = 0; i < all.size(); i += 2)
        heap.deallocate(all[i]);
    bool done = false;
    for (int steps = 0; !done; ++steps) {
        ASSERT_LT(steps, 1000);
        const offset_moves todo = heap.step(budget::unlimited(), offset_moves::may_overlap);
        done = todo.done();
        heap.commit(todo);
    }
    EXPECT_EQ(heap.usage().live_allocations, 12u);
    EXPECT_TRUE(heap.try_allocate(400).has_value()) << "each hole had 100";
    EXPECT_TRUE(heap.try_allocate(100).has_value());
    EXPECT_EQ(device.count(), 3u);
}

TEST(move_planner, a_block_that_empties_by_itself_amid_the_plan_is_no_trouble) {
    support::block_source device;
    offset_heap heap{
        device.source(),
        {.first_block_bytes = 1000, .largest_block_bytes = 1000, .keep_empty_blocks = 0}};
    std::vector<offset_allocation> all;
    for (int i = 0; i < 30; ++i)
        all.push_back(*heap.try_allocate(100));
    for (int i = 0; i < 5; ++i)
        heap.deallocate(all[static_cast<std::size_t>(i)]);
    for (int i = 10; i < 14; ++i)
        heap.deallocate(all[static_cast<std::size_t>(i)]);
    for (int i = 20; i < 22; ++i)
        heap.deallocate(all[static_cast<std::size_t>(i)]);
    const offset_moves first = heap.step({.moves = 2});
    EXPECT_EQ(first.size(), 2u);
    for (int i = 5; i < 10; ++i)
        heap.deallocate(all[static_cast<std::size_t>(i)]);
    EXPECT_EQ(heap.block_count(), 2u) << "it is gone";
    const offset_moves second = heap.step({.moves = 10});
    heap.commit(second);
    heap.commit(first);
    EXPECT_EQ(heap.usage().live_allocations, 14u);
    EXPECT_EQ(heap.usage().bytes_in_use, 1400u);
}

TEST(move_planner, a_step_keeps_to_its_budget) {
    offset_allocator gpu{1_MiB};
    std::vector<offset_allocation> all;
    for (int i = 0; i < 1000; ++i)
        all.push_back(*gpu.try_allocate(1000));
    for (std::size_t i = 0; i < 600; i += 2)
        gpu.deallocate(all[i]);
    EXPECT_EQ(gpu.step({.moves = 3}).size(), 3u);
    EXPECT_EQ(gpu.step({.bytes = 2500}).size(), 3u) << "the last passes the limit";
    EXPECT_TRUE(gpu.step({.moves = 0}).empty());
    EXPECT_TRUE(gpu.step({.bytes = 0}).empty());
    EXPECT_LE(gpu.step({.nanoseconds = 0}).size(), 16u) << "the clock is read every 16 nodes";
}

TEST(move_planner, a_step_that_finds_nothing_to_move_ends_and_the_next_goes_on_behind_it) {
    offset_allocator gpu{64_MiB};
    std::vector<offset_allocation> all;
    for (int i = 0; i < 10'000; ++i)
        all.push_back(*gpu.try_allocate(i % 2 == 0 ? 64 : 4096));
    for (std::size_t i = 0; i < all.size(); i += 2)
        gpu.deallocate(all[i]); // no hole is long enough for what is left
    for (const budget& limit : {budget{.bytes = 64_KiB}, budget{.moves = 10}}) {
        std::size_t steps = 1;
        while (!gpu.step(limit).done())
            ++steps;
        const std::size_t looks = 64 + (limit.moves == 10 ? 40 : 64_KiB / 256);
        EXPECT_GE(steps, all.size() / looks);
        EXPECT_LE(steps, all.size() / looks + 3);
        gpu.deallocate(all.back()); // there may be something to do again
        all.back() = *gpu.try_allocate(4096);
    }
}

TEST(move_planner, without_memory_for_nodes_or_the_list_a_step_ends_and_nothing_is_lost) {
    for (std::size_t n = 0; n < 8; ++n) {
        support::counting_resource up;
        offset_allocator gpu{10'000, &up};
        std::vector<offset_allocation> all;
        for (int i = 0; i < 64; ++i)
            all.push_back(*gpu.try_allocate(100));
        for (std::size_t i = 0; i < 40; i += 2)
            gpu.deallocate(all[i]);
        up.fail_after(n);
        const offset_moves todo = gpu.step(budget::unlimited());
        gpu.commit(todo);
        EXPECT_EQ(gpu.usage().bytes_in_use, 4400u);
        EXPECT_EQ(gpu.usage().live_allocations, 44u);
        up.never_fail();
    }
}

// Steps until it is done, or nullopt after too many; what was copied.
std::optional<std::size_t> copies_until_done(offset_heap& heap, const budget& limit) {
    std::size_t copies = 0;
    for (int i = 0; i < 1000; ++i) {
        const offset_moves todo = heap.step(limit, offset_moves::may_overlap);
        copies += todo.size();
        heap.commit(todo);
        if (todo.done())
            return copies;
    }
    return std::nullopt;
}

TEST(move_planner, what_was_planned_and_taken_back_is_no_reason_for_another_round) {
    support::block_source device;
    offset_heap heap{device.source(), {.first_block_bytes = 1000, .largest_block_bytes = 1000}};
    // [300 free][pinned][260 free][pinned] and [400][40]: the 40 might leave, but not the 400
    const auto below = *heap.try_allocate(300);
    static_cast<void>(heap.try_allocate(140, 1, {.pinned = true}));
    const auto between = *heap.try_allocate(260);
    static_cast<void>(heap.try_allocate(300, 1, {.pinned = true}));
    static_cast<void>(heap.try_allocate(400));
    static_cast<void>(heap.try_allocate(40));
    heap.deallocate(below);
    heap.deallocate(between);
    ASSERT_EQ(heap.block_count(), 2u);
    EXPECT_EQ(copies_until_done(heap, budget::unlimited()), 0u);
}

TEST(move_planner, steps_that_may_overlap_leave_no_hole_between_parts_in_any_heap) {
    std::uint64_t seed = support::test_seed("leave_no_hole");
    for (int program = 0; program < 200; ++program, ++seed) {
        SCOPED_TRACE(testing::Message() << "ARENITE_TEST_SEED=" << seed);
        std::mt19937_64 random{seed};
        support::block_source device;
        const std::uint64_t first = 500 + random() % 2000;
        offset_heap heap{
            device.source(),
            {.first_block_bytes = first, .largest_block_bytes = first * (1 + random() % 2)}};
        std::vector<offset_allocation> all;
        for (std::uint64_t i = 1 + random() % 30; i != 0; --i)
            all.push_back(*heap.try_allocate(1 + random() % 300));
        for (const auto& a : all) {
            if (random() % 3 == 0)
                heap.deallocate(a);
        }
        // Steps of the other kind may come first, to their end or not.
        for (std::uint64_t i = random() % 4; i != 0; --i)
            heap.commit(heap.step({.moves = 1 + random() % 3}));
        ASSERT_TRUE(copies_until_done(heap, {.moves = 1 + random() % 20}));
        std::map<const void*, std::pair<std::uint64_t, std::uint64_t>> blocks; // bytes, end
        heap.for_each([&](const offset_allocation& a, std::uint64_t) {
            auto& [bytes, end] = blocks[heap.block_of(a)];
            bytes += a.bytes;
            end = std::max(end, a.offset + a.bytes);
        });
        for (const auto& [block, of] : blocks)
            EXPECT_EQ(of.first, of.second) << "a hole lies below a part that may move";
    }
}

TEST(move_planner, steps_that_slide_come_to_an_end_in_any_heap) {
    std::mt19937_64 random{4711};
    for (int turn = 0; turn < 400; ++turn) {
        support::block_source device;
        const std::uint64_t first = 500 + random() % 2000;
        offset_heap heap{device.source(),
                         {.parts = {.conflict_page = turn % 2 == 0 ? 0 : 64u << turn % 4},
                          .first_block_bytes = first,
                          .largest_block_bytes = first * (1 + random() % 2)}};
        std::vector<offset_allocation> all;
        for (std::uint64_t i = 6 + random() % 20; i != 0; --i) {
            const auto kind = random() % 2 == 0 ? offset_kind::linear : offset_kind::optimal;
            all.push_back(*heap.try_allocate(1 + random() % 300, 1 + random() % 100,
                                             {.kind = kind, .pinned = random() % 12 == 0}));
        }
        for (const auto& a : all) {
            if (random() % 5 < 2)
                heap.deallocate(a);
        }
        EXPECT_TRUE(copies_until_done(heap, {.moves = 1 + random() % 20})) << "turn " << turn;
    }
}

TEST(move_planner, growth_and_clear_amid_a_plan) {
    offset_allocator gpu{1000};
    const auto a = *gpu.try_allocate(500);
    const auto b = *gpu.try_allocate(200);
    gpu.deallocate(a);
    const offset_moves todo = gpu.step(budget::unlimited());
    ASSERT_EQ(todo.size(), 1u);
    EXPECT_TRUE(gpu.grow(1000));
    gpu.commit(todo);
    EXPECT_EQ(gpu.largest_free(), 1800u);
    EXPECT_FALSE(gpu.is_live(b));
    const offset_moves late = gpu.step(budget::unlimited());
    gpu.clear();
    gpu.commit(late);
    gpu.commit(todo);
    EXPECT_EQ(gpu.free_bytes(), 2000u);
}

} // namespace
