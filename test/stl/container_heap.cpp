// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/check/passthrough.hpp>
#include <arenite/core/contract.hpp>
#include <arenite/stl/detail/container_heap.hpp>

#include <gtest/gtest.h>

#include "support/counting_resource.hpp"

#include <cstddef>
#include <cstring>
#include <thread>
#include <vector>

using namespace arenite;
using namespace arenite::detail;
using support::counting_resource;

namespace {

constexpr std::size_t kind = 3; // 24 bytes

container_heap* make(counting_resource& up, container_heap::state s, std::size_t expected = 0) {
    return container_heap::make(kind, s, expected, return_policy{}, &up, nullptr);
}

TEST(container_heap, is_found_from_the_address_of_any_slot) {
    if (passthrough())
        GTEST_SKIP() << "memory comes from malloc";
    counting_resource up;
    container_heap* const a = make(up, container_heap::state::attended);
    container_heap* const b = make(up, container_heap::state::attended);
    std::vector<void*> slots;
    for (int i = 0; i < 30'000; ++i)
        slots.push_back((i % 3 == 0 ? a : b)->try_allocate(kind));
    for (std::size_t i = 0; i < slots.size(); ++i) {
        container_heap* const owner = i % 3 == 0 ? a : b;
        ASSERT_EQ(&container_heap::of(slots[i]), owner);
        ASSERT_FALSE((owner == a ? b : a)->try_rejoin(slots[i], kind));
        if (!owner->try_rejoin(slots[i], kind))
            owner->deallocate_apart(slots[i]);
    }
    a->abandon();
    b->abandon();
}

TEST(container_heap, an_orphan_ends_with_its_last_slot) {
    if (passthrough())
        GTEST_SKIP() << "memory comes from malloc";
    counting_resource up;
    container_heap* const heap = make(up, container_heap::state::attended);
    std::vector<void*> slots;
    for (int i = 0; i < 5000; ++i)
        slots.push_back(heap->try_allocate(kind));
    for (int i = 0; i < 100; ++i)
        heap->deallocate(slots[static_cast<std::size_t>(i)]);
    heap->deallocate_foreign(slots[100]); // queued, and known all the same
    heap->abandon();
    for (std::size_t i = 101; i < slots.size(); ++i) {
        EXPECT_NE(up.live(), 0u);
        container_heap::of(slots[i]).deallocate_foreign(slots[i]);
    }
    EXPECT_EQ(up.live(), 0u);
}

TEST(container_heap, an_orphan_gives_memory_back_as_it_empties) {
    if (passthrough())
        GTEST_SKIP() << "memory comes from malloc";
    counting_resource up;
    container_heap* const heap = make(up, container_heap::state::attended);
    std::vector<void*> slots;
    for (int i = 0; i < 200'000; ++i)
        slots.push_back(heap->try_allocate(kind));
    heap->abandon();
    const std::size_t full = up.live_bytes();
    while (slots.size() > 20'000) {
        container_heap::of(slots.back()).deallocate_foreign(slots.back());
        slots.pop_back();
    }
    EXPECT_LE(up.live_bytes(), full / 4);
    for (void* const p : slots)
        container_heap::of(p).deallocate_foreign(p);
}

TEST(container_heap, what_others_freed_is_used_again_before_new_memory) {
    if (passthrough())
        GTEST_SKIP() << "memory comes from malloc";
    counting_resource up;
    container_heap* const heap = make(up, container_heap::state::attended);
    std::vector<void*> slots;
    for (int round = 0; round < 20; ++round) {
        for (int i = 0; i < 2000; ++i) {
            slots.push_back(heap->try_allocate(kind));
            std::memset(slots.back(), 1, kind * 8);
        }
        for (void* const p : slots)
            heap->deallocate_foreign(p);
        slots.clear();
    }
    EXPECT_EQ(up.calls(), 1u);
    heap->abandon();
}

TEST(container_heap, one_whose_upstream_refuses_has_no_slot_and_ends) {
    if (passthrough())
        GTEST_SKIP() << "memory comes from malloc";
    counting_resource up;
    up.fail_after(0);
    container_heap* const heap = make(up, container_heap::state::attended, 1000);
    EXPECT_EQ(heap->try_allocate(kind), nullptr);
    up.never_fail();
    void* const p = heap->try_allocate(kind);
    EXPECT_NE(p, nullptr);
    heap->deallocate(p);
    heap->abandon();
}

TEST(container_heap_threads, takes_back_what_other_threads_free) {
    if (passthrough())
        GTEST_SKIP() << "memory comes from malloc";
    counting_resource up;
    container_heap* const heap = make(up, container_heap::state::attended);
    constexpr std::size_t count = 2000;
    for (int round = 0; round < 5; ++round) {
        std::vector<void*> slots;
        for (std::size_t i = 0; i < count; ++i)
            slots.push_back(heap->try_allocate(kind));
        std::vector<std::thread> threads;
        for (std::size_t t = 0; t < 3; ++t) {
            threads.emplace_back([&slots, t] {
                for (std::size_t i = t; i < count; i += 3)
                    container_heap::of(slots[i]).deallocate_foreign(slots[i]);
            });
        }
        for (std::size_t i = 0; i < count; ++i) { // while they do
            void* const p = heap->try_allocate(kind);
            std::memset(p, 2, kind * 8);
            heap->deallocate(p);
        }
        for (std::thread& t : threads)
            t.join();
    }
    heap->abandon();
    EXPECT_EQ(up.live(), 0u);
}

TEST(container_heap_threads, an_orphan_ends_once_whoever_frees_its_last_slot) {
    if (passthrough())
        GTEST_SKIP() << "memory comes from malloc";
    counting_resource up;
    for (int round = 0; round < 100; ++round) {
        container_heap* const heap = make(up, container_heap::state::attended);
        void* const a = heap->try_allocate(kind);
        void* const b = heap->try_allocate(kind);
        std::thread other([a] { container_heap::of(a).deallocate_foreign(a); });
        heap->abandon();
        container_heap::of(b).deallocate_foreign(b);
        other.join();
        ASSERT_EQ(up.live(), 0u);
    }
}

TEST(container_heap, one_that_nobody_attends_to_holds_what_is_used_and_no_more) {
    if (passthrough())
        GTEST_SKIP() << "memory comes from malloc";
    counting_resource up;
    container_heap* const heap = make(up, container_heap::state::attended);
    std::vector<void*> slots;
    for (int i = 0; i < 20'000; ++i)
        slots.push_back(heap->try_allocate(kind));
    for (void* const p : slots)
        heap->deallocate_foreign(p);
    EXPECT_EQ(heap->usage().live_allocations, slots.size()) << "they wait for who attends to it";
    heap->set_attended(false);
    EXPECT_EQ(heap->usage().live_allocations, 0u);
    EXPECT_EQ(up.live(), 0u);
    heap->abandon();
}

} // namespace
