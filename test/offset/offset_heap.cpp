// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/core/literals.hpp>
#include <arenite/offset/offset_heap.hpp>
#include <arenite/report/memory_map.hpp>

#include <gtest/gtest.h>

#include "support/block_source.hpp"
#include "support/counting_resource.hpp"

#include <cstdint>
#include <limits>
#include <vector>

using namespace arenite;
using refusal = offset_heap::refusal;

namespace {

constexpr std::uint64_t huge = std::numeric_limits<std::uint64_t>::max();

class blocks : public testing::Test {
protected:
    support::block_source device;
    support::counting_resource up;
    offset_heap_options small{.first_block_bytes = 1024, .largest_block_bytes = 8192};
};

TEST_F(blocks, they_start_small_and_double_up_to_the_largest) {
    offset_heap heap{device.source(), small, &up};
    EXPECT_EQ(device.count(), 0u);
    std::vector<std::uint64_t> sizes;
    for (int i = 0; i < 300; ++i) {
        ASSERT_TRUE(heap.try_allocate(100));
        if (heap.block_count() > sizes.size())
            sizes.push_back(device.out().at(device.last()));
    }
    ASSERT_GE(sizes.size(), 6u);
    sizes.resize(6);
    EXPECT_EQ(sizes, (std::vector<std::uint64_t>{1024, 2048, 4096, 8192, 8192, 8192}));
    EXPECT_EQ(heap.usage().bytes_reserved, device.held());
}

TEST_F(blocks, a_request_above_half_of_the_largest_has_its_own) {
    offset_heap heap{device.source(), small, &up};
    const auto a = *heap.try_allocate(4097);
    EXPECT_EQ(device.held(), 4097u);
    const auto b = *heap.try_allocate(1_MiB, 1_MiB);
    EXPECT_EQ(b.offset, 0u);
    EXPECT_EQ(device.held(), 4097u + 1_MiB);
    EXPECT_NE(heap.block_of(a), heap.block_of(b));
    const auto c = *heap.try_allocate(4096);
    EXPECT_EQ(device.out().at(heap.block_of(c)), 8192u) << "a block is twice what it is made for";
    heap.deallocate(b);
    EXPECT_EQ(device.count(), 2u) << "and goes back at once";
    heap.deallocate(a);
    EXPECT_EQ(device.count(), 1u);
}

TEST_F(blocks, one_that_is_empty_is_kept_and_others_go_back) {
    small.first_block_bytes = 8192;
    offset_heap heap{device.source(), small, &up};
    std::vector<offset_allocation> all;
    for (int i = 0; i < 6; ++i)
        all.push_back(*heap.try_allocate(4000));
    EXPECT_EQ(device.count(), 3u);
    for (const auto& a : all)
        heap.deallocate(a);
    EXPECT_EQ(device.count(), 1u);
    EXPECT_EQ(heap.block_count(), 1u);
    static_cast<void>(heap.try_allocate(8192));
    heap.trim();
    EXPECT_EQ(heap.block_count(), 1u) << "one in use stays";
}

TEST_F(blocks, a_trimmed_heap_holds_none) {
    offset_heap heap{device.source(), small, &up};
    heap.deallocate(*heap.try_allocate(10));
    EXPECT_EQ(device.count(), 1u);
    heap.trim();
    EXPECT_EQ(device.count(), 0u);
    EXPECT_EQ(heap.usage().bytes_reserved, 0u);
    EXPECT_TRUE(heap.try_allocate(10));
}

TEST_F(blocks, a_budget_refuses_warns_before_and_may_change) {
    static std::vector<std::uint64_t> warnings;
    warnings.clear();
    small.budget_bytes = 10'000;
    small.warn_at = 0.5;
    small.on_budget = [](std::uint64_t used, std::uint64_t limit, void*) noexcept {
        EXPECT_EQ(limit, 10'000u);
        warnings.push_back(used);
    };
    offset_heap heap{device.source(), small, &up};
    while (heap.try_allocate(500))
        EXPECT_EQ(heap.why_refused(), refusal::none);
    EXPECT_EQ(heap.why_refused(), refusal::budget);
    EXPECT_LE(device.held(), 10'000u);
    EXPECT_GE(device.held(), 9'500u) << "blocks get smaller where the budget ends";
    ASSERT_FALSE(warnings.empty());
    EXPECT_EQ(warnings.front(), 7168u) << "1024 + 2048 + 4096: the first beyond a half";
    heap.set_budget(20'000);
    small.on_budget = nullptr;
    EXPECT_EQ(heap.budget_bytes(), 20'000u);
}

TEST_F(blocks, an_empty_block_that_is_kept_is_not_in_the_way_of_the_budget) {
    small.budget_bytes = 8192;
    offset_heap heap{device.source(), small, &up};
    heap.deallocate(*heap.try_allocate(100));
    EXPECT_EQ(device.count(), 1u);
    EXPECT_TRUE(heap.try_allocate(8000));
    EXPECT_EQ(device.count(), 1u);
}

TEST_F(blocks, a_source_that_refuses_is_asked_for_less_and_named) {
    offset_heap heap{device.source(), small, &up};
    static_cast<void>(heap.try_allocate(400));
    static_cast<void>(heap.try_allocate(600)); // the rest of the first block
    device.refuse_above(600);
    EXPECT_TRUE(heap.try_allocate(500)) << "2048 and 1024 are refused, 512 are given";
    EXPECT_EQ(device.out().at(device.last()), 512u);
    device.refuse_after(0);
    EXPECT_FALSE(heap.try_allocate(500));
    EXPECT_EQ(heap.why_refused(), refusal::source);
}

TEST_F(blocks, who_fails_learns_why) {
    offset_heap heap{device.source(), small, &up};
    EXPECT_FALSE(heap.try_allocate(10, 0));
    EXPECT_EQ(heap.why_refused(), refusal::request);
    EXPECT_FALSE(heap.try_allocate(huge));
    EXPECT_EQ(heap.why_refused(), refusal::request);
    up.fail_after(0);
    EXPECT_FALSE(heap.try_allocate(10));
    EXPECT_EQ(heap.why_refused(), refusal::bookkeeping);
    EXPECT_EQ(device.count(), 0u);
}

TEST_F(blocks, an_upstream_that_fails_at_any_call_loses_nothing) {
    for (std::size_t n = 0; n < 12; ++n) {
        support::block_source source;
        support::counting_resource memory;
        offset_heap heap{source.source(), small, &memory};
        std::vector<offset_allocation> all;
        memory.fail_once_after(n);
        for (int i = 0; i < 300; ++i) {
            if (const auto a = heap.try_allocate(500))
                all.push_back(*a);
        }
        EXPECT_EQ(heap.usage().live_allocations, all.size());
        EXPECT_EQ(heap.usage().bytes_reserved, source.held());
        EXPECT_GE(all.size(), 299u);
        for (const auto& a : all)
            heap.deallocate(a);
        EXPECT_EQ(heap.block_count(), 1u);
    }
}

TEST_F(blocks, alignment_counts_from_the_begin_of_a_block) {
    offset_heap heap{device.source(), small, &up};
    for (const std::uint64_t alignment : {36u, 256u, 1000u, 3000u}) {
        for (int i = 0; i < 20; ++i)
            EXPECT_EQ(heap.try_allocate(100, alignment)->offset % alignment, 0u);
    }
}

TEST_F(blocks, a_map_shows_each_by_itself) {
    offset_heap heap{device.source(), small, &up};
    EXPECT_EQ(memory_map{heap}.totals().bytes(), 0u);
    for (int i = 0; i < 10; ++i)
        static_cast<void>(heap.try_allocate(500));
    const memory_map map{heap};
    EXPECT_EQ(map.totals().bytes(), device.held());
    EXPECT_EQ(map.totals().objects(), 10u);
    EXPECT_EQ(map.overlapping(), 0u);
}

TEST_F(blocks, what_is_stale_lies_in_none) {
    offset_heap heap{device.source(), small, &up};
    const auto a = *heap.try_allocate(10);
    EXPECT_EQ(heap.block_of(a), device.last());
    heap.deallocate(a);
    EXPECT_EQ(heap.block_of(a), nullptr);
    EXPECT_FALSE(heap.is_live(a));
    heap.trim();
    EXPECT_FALSE(heap.is_live(a));
}

TEST_F(blocks, who_is_warned_may_use_the_heap_for_the_request_is_served_before) {
    struct state {
        offset_heap* heap = nullptr;
        std::vector<offset_allocation> made;
        int depth = 0;
    } warned;
    small.warn_at = 0;
    small.user = &warned;
    small.on_budget = [](std::uint64_t, std::uint64_t, void* user) noexcept {
        state& s = *static_cast<state*>(user);
        EXPECT_GT(s.heap->usage().live_allocations, s.made.size()) << "what was asked for";
        s.heap->trim();
        if (++s.depth == 1 && s.made.empty()) {
            for (int i = 0; i < 100; ++i)
                s.made.push_back(*s.heap->try_allocate(10));
            EXPECT_FALSE(s.heap->try_allocate(10, 0));
        }
        --s.depth;
    };
    offset_heap heap{device.source(), small, &up};
    warned.heap = &heap;
    const auto a = heap.try_allocate(100);
    ASSERT_TRUE(a && heap.is_live(*a));
    EXPECT_EQ(heap.why_refused(), refusal::none) << "of this request, not of what the warned did";
    EXPECT_EQ(heap.block_of(*a), device.out().begin()->first);
    EXPECT_EQ(heap.usage().live_allocations, 101u);
    for (const auto& m : warned.made)
        heap.deallocate(m);
    heap.deallocate(*a);
    EXPECT_EQ(heap.usage().bytes_in_use, 0u);
}

class blocks_death : public blocks {};

// A source that calls the heap that calls it.
struct reentrant {
    void (*in_get)(reentrant&) = nullptr;
    void (*in_give_back)(reentrant&) = nullptr;
    offset_heap* heap = nullptr;
    offset_allocation known = {};

    [[nodiscard]] offset_source source() noexcept {
        return {.get = [](std::uint64_t, void* self) noexcept -> void* {
                    auto& s = *static_cast<reentrant*>(self);
                    if (s.in_get != nullptr)
                        s.in_get(s);
                    return self;
                },
                .give_back =
                    [](void*, std::uint64_t, void* self) noexcept {
                        auto& s = *static_cast<reentrant*>(self);
                        if (s.in_give_back != nullptr)
                            s.in_give_back(s);
                    },
                .user = this};
    }
};

TEST_F(blocks_death, a_source_that_calls_its_heap_is_named_in_every_build) {
    reentrant source;
    small.keep_empty_blocks = 0;
    offset_heap heap{source.source(), small, &up};
    source.heap = &heap;
    source.known = *heap.try_allocate(10);
    constexpr void (*calls[])(reentrant&) = {
        [](reentrant& s) { static_cast<void>(s.heap->try_allocate(1)); },
        [](reentrant& s) { s.heap->deallocate(s.known); },
        [](reentrant& s) { static_cast<void>(s.heap->try_resize(s.known, 5)); },
        [](reentrant& s) { s.heap->trim(); },
        [](reentrant& s) { static_cast<void>(s.heap->reserve(100)); },
        [](reentrant& s) { static_cast<void>(s.heap->step(budget::unlimited())); },
        [](reentrant& s) { static_cast<void>(s.heap->make_room(1, 1, budget::unlimited())); },
        [](reentrant& s) { s.heap->commit({}); },
        [](reentrant& s) { s.heap->pin(s.known); },
        [](reentrant& s) { s.heap->unpin(s.known); },
        [](reentrant& s) { s.heap->set_user_data(s.known, 1); },
        [](reentrant& s) { s.heap->set_budget(1); },
        [](reentrant& s) { s.heap->cancel({}); }};
    for (const auto call : calls) {
        source.in_get = call;
        EXPECT_DEATH(static_cast<void>(heap.try_allocate(8000)), "source .* called its heap");
        source.in_get = nullptr;
        source.in_give_back = call;
        EXPECT_DEATH(heap.deallocate(source.known), "source .* called its heap");
        source.in_give_back = nullptr;
    }
    source.in_get = [](reentrant& s) { EXPECT_TRUE(s.heap->is_live(s.known)); };
    EXPECT_TRUE(heap.try_allocate(8000)) << "to look is allowed";
}

TEST_F(blocks_death, misuse_is_named_in_every_build) {
    const auto make = [&](std::uint64_t first, std::uint64_t largest) {
        const offset_heap heap{device.source(),
                               {.first_block_bytes = first, .largest_block_bytes = largest}};
    };
    EXPECT_DEATH(make(0, 1000), "at least one granule");
    EXPECT_DEATH(make(1000, 999), "is not above the largest");
    EXPECT_DEATH(make(1000, huge), "at most 2.40");
    const auto with_page = [&](std::uint64_t page) {
        const offset_heap heap{device.source(), {.parts = {.conflict_page = page}}};
    };
    with_page(std::uint64_t{1} << 48);
    EXPECT_DEATH(with_page(std::uint64_t{1} << 49), "conflict_page .* at most 2.48 granules");
    EXPECT_DEATH(with_page(std::uint64_t{1} << 63), "conflict_page .* at most 2.48 granules");
    offset_heap heap{device.source(), small, &up};
    const auto a = *heap.try_allocate(10);
    heap.deallocate(a);
    EXPECT_DEATH(heap.deallocate(a), "10 bytes at offset 0 is free already");
}

} // namespace
