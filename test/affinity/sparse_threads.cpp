// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Objects of several slots (ordered/detail/joined_slots.hpp) that another thread frees, resizes and
// asks the size of, while their own thread joins more.
#include <arenite/affinity/affinity_heap.hpp>

#include "support/thread_slabs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <random>
#include <thread>
#include <vector>

using namespace arenite;

namespace {

struct sparse {
    static constexpr std::string_view name = "sparse";
};

TEST(sparse_threads, any_thread_frees_objects_of_several_slots) {
    if (!support::affinities_have_slabs())
        GTEST_SKIP() << "no slots to join: all goes to malloc, or another strategy is at work";
    affinity_heap& heap = affinity_heap::of<sparse>();
    const usage before = heap.usage();
    constexpr std::size_t count = 250'000;
    std::vector<void*> small(count);
    for (void*& p : small)
        p = heap.allocate(48, 16);
    std::mt19937 random{7};
    std::shuffle(small.begin(), small.end(), random);
    for (; small.size() > count / 10; small.pop_back())
        heap.deallocate(small.back(), 48, 16);
    constexpr std::size_t handed_over = 40'000;
    std::vector<std::atomic<void*>> made(handed_over);
    std::size_t joined = 0;
    std::thread other{[&] {
        for (std::size_t i = 0; i < handed_over; ++i) {
            void* p = nullptr;
            while ((p = made[i].load(std::memory_order_acquire)) == nullptr)
                std::this_thread::yield();
            const std::size_t room = heap.size_of(p);
            EXPECT_GE(room, 64u);
            if (room == 96) {
                ++joined;
                EXPECT_TRUE(heap.try_resize(p, 64, 80, 16));
                EXPECT_FALSE(heap.try_resize(p, 80, 97, 16));
                EXPECT_TRUE(heap.try_resize(p, 80, 64, 16));
            }
            if (i % 2 == 0)
                heap.deallocate(p, 64, 16);
            else
                heap.deallocate(p);
        }
    }};
    for (std::size_t i = 0; i < handed_over; ++i) {
        void* const p = heap.allocate(64, 16);
        static_cast<std::byte*>(p)[63] = std::byte{1};
        made[i].store(p, std::memory_order_release);
        if (i % 8 == 0 && !small.empty()) { // in the slabs that are joined in
            heap.deallocate(small.back(), 48, 16);
            small.pop_back();
        }
    }
    other.join();
    if (!checks_enabled) { // size_of() tells of the request there
        EXPECT_GT(joined, 1000u);
    }
    EXPECT_EQ(heap.usage().bytes_in_use, before.bytes_in_use + small.size() * 48);
    for (void* p : small)
        heap.deallocate(p, 48, 16);
    heap.trim();
    EXPECT_EQ(heap.usage().bytes_in_use, before.bytes_in_use);
    EXPECT_EQ(heap.usage().bytes_reserved, before.bytes_reserved);
}

} // namespace
