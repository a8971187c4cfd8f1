// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/affinity/detail/thread_heap.hpp>

#include <arenite/affinity/affinity_heap.hpp>
#include <arenite/affinity/detail/remote_frees.hpp>
#include <arenite/check/detail/poison.hpp>
#include <arenite/check/passthrough.hpp>

#include <gtest/gtest.h>

#include "support/remote_marks.hpp"
#include "support/thread_slabs.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <mutex>
#include <thread>
#include <vector>

using namespace arenite;
using detail::remote_frees;
using detail::thread_heap;
using detail::thread_heap_kind;

namespace {

struct of_thread_heaps {
    static constexpr std::string_view name = "thread heaps";
};

TEST(thread_heap, is_found_by_its_memory_and_by_nothing_else) {
    if (passthrough())
        GTEST_SKIP() << "all goes to malloc";
    affinity_heap& h = affinity_heap::of<of_thread_heaps>();
    void* const p = h.allocate(40, 8);
    thread_heap* const s = thread_heap::around(p);
    ASSERT_NE(s, nullptr);
    EXPECT_EQ(s->kind(), thread_heap_kind::ordered);
    EXPECT_STREQ(s->title(), "affinity thread heaps");
    EXPECT_EQ(&thread_heap::of(s->heap()), s);
    EXPECT_EQ(s->is_locked(), detail::slow_only);
    EXPECT_EQ(thread_heap::around(static_cast<std::byte*>(p) + 39), s);
    EXPECT_EQ(thread_heap::around(nullptr), nullptr);
    EXPECT_EQ(thread_heap::around(&h), nullptr);
    h.deallocate(p, 40, 8);
}

TEST(thread_heap_threads, belongs_to_one_or_to_nobody) {
    if (passthrough())
        GTEST_SKIP() << "all goes to malloc";
    affinity_heap& h = affinity_heap::of<of_thread_heaps>();
    void* p = nullptr;
    int other = 0;
    std::thread{[&] {
        p = h.allocate(40, 8);
        thread_heap* const s = thread_heap::around(p);
        EXPECT_FALSE(s->is_abandoned());
        EXPECT_FALSE(s->adopt(&other));
    }}.join();
    thread_heap* const s = thread_heap::around(p);
    EXPECT_TRUE(s->is_abandoned());
    EXPECT_TRUE(s->adopt(&other));
    EXPECT_TRUE(s->is_mine(&other));
    EXPECT_FALSE(s->adopt(&h));
    s->abandon();
    h.deallocate(p, 40, 8);
}

TEST(thread_heap_threads, the_last_object_of_a_size_is_freed_without_the_lock) {
    if (!support::threads_have_slabs())
        GTEST_SKIP() << "every heap is locked in this build: none is one thread's alone";
    affinity_heap& h = affinity_heap::named("of one block");
    std::atomic<thread_heap*> its_heap{nullptr};
    std::atomic<bool> held{false};
    std::atomic<bool> freed{false};
    std::thread owner{[&] {
        void* const other = h.allocate(40, 8);
        void* const last = h.allocate(200, 8);
        its_heap = thread_heap::around(last);
        while (!held)
            std::this_thread::yield();
        h.deallocate(last, 200, 8); // its slab stays, for the next one
        freed = true;
        h.deallocate(other, 40, 8);
    }};
    while (its_heap == nullptr)
        std::this_thread::yield();
    {
        const std::lock_guard lock{its_heap.load()->lock()};
        held = true;
        const auto until = std::chrono::steady_clock::now() + std::chrono::seconds{60};
        while (!freed && std::chrono::steady_clock::now() < until)
            std::this_thread::yield();
        EXPECT_TRUE(freed);
    }
    owner.join();
    EXPECT_EQ(h.usage().bytes_in_use, 0u);
}

TEST(thread_heap_threads, who_is_asked_to_trim_does_so_at_its_next_slow_call) {
    if (!support::threads_have_slabs())
        GTEST_SKIP() << "every heap is locked in this build: none is one thread's alone";
    affinity_heap& h = affinity_heap::named("asked to trim");
    std::atomic<int> state{0};
    void* kept = nullptr;
    std::size_t after = 0;
    std::thread owner{[&] {
        kept = h.allocate(48, 8);
        std::vector<void*> all;
        for (int i = 0; i < 20'000; ++i)
            all.push_back(h.allocate(200, 8));
        for (void* p : all)
            h.deallocate(p, 200, 8);
        state = 1;
        while (state.load() != 2)
            std::this_thread::yield();
        h.deallocate(h.allocate(5'000, 8), 5'000, 8); // the first of its size is slow
        after = h.usage().bytes_reserved;
        h.deallocate(kept, 48, 8);
    }};
    while (state.load() != 1)
        std::this_thread::yield();
    const thread_heap& s = *thread_heap::around(kept);
    EXPECT_TRUE(s.has_no_pending_work(h.block_bytes()));
    EXPECT_EQ(h.trim().heaps_asked, 1u);
    EXPECT_FALSE(s.has_no_pending_work(h.block_bytes()));
    const std::size_t before = h.usage().bytes_reserved;
    state = 2;
    owner.join();
    EXPECT_LT(after, before);
    h.trim();
    EXPECT_EQ(h.usage().bytes_reserved, 0u);
}

TEST(thread_heap_threads, a_trim_leaves_the_heaps_of_ended_threads_to_others_or_retires_them) {
    if (!support::affinities_have_slabs())
        GTEST_SKIP() << "there are no heaps of threads";
    affinity_heap& h = affinity_heap::named("trimmed and left");
    std::vector<void*> all(10);
    std::atomic<int> ready{0};
    std::vector<std::thread> threads;
    for (void*& p : all)
        threads.emplace_back([&] {
            p = h.allocate(48, 8);
            ++ready;
            while (ready.load() != 10)
                std::this_thread::yield();
        });
    for (std::thread& t : threads)
        t.join();
    const thread_heap& s = *thread_heap::around(all[0]);
    EXPECT_TRUE(s.is_abandoned());
    EXPECT_GE(h.trim().heaps_trimmed, 10u);
    EXPECT_TRUE(s.is_abandoned()) << "who trims it keeps it for no longer";
    for (void* p : all)
        h.deallocate(p, 48, 8);
    h.trim();
    EXPECT_LE(h.trim().heaps_trimmed, 4u) << "those that hold nothing serve others";
    EXPECT_EQ(h.usage().bytes_reserved, 0u);
}

TEST(thread_heap_threads, a_trim_from_afar_leaves_the_marks_by_which_a_second_free_is_found) {
    if (!support::threads_have_slabs())
        GTEST_SKIP() << "every heap is locked in this build: none is one thread's alone";
    affinity_heap& h = affinity_heap::of<of_thread_heaps>();
    std::vector<void*> all;
    std::atomic<bool> done{false};
    std::atomic<bool> ready{false};
    std::atomic<bool> over{false};
    std::thread owner{[&] { // sleeps, and drains nothing
        for (int i = 0; i < 128; ++i)
            all.push_back(h.allocate(8192, 8));
        ready = true;
        while (!over)
            std::this_thread::yield();
    }};
    while (!ready)
        std::this_thread::yield();
    thread_heap& s = *thread_heap::around(all[0]);
    ASSERT_FALSE(s.is_locked());
    for (void* const p : all)
        h.deallocate(p, 8192, 8);
    const remote_frees& r = *remote_frees::find(remote_frees::head_of(all[64]));
    const std::size_t before = support::count_marks(r);
    EXPECT_NE(before, 0u);
    const std::size_t returned = s.trim_from_afar();
    EXPECT_GT(returned, 0u);
    EXPECT_LE(returned, all.size() * 8192);
    std::thread trimming{[&] {
        for (int i = 0; i < 2000; ++i)
            s.trim_from_afar();
        done = true;
    }};
    std::size_t fewest = before;
    while (!done)
        fewest = std::min(fewest, support::count_marks(r));
    trimming.join();
    over = true;
    owner.join();
    EXPECT_EQ(fewest, before);
    h.trim();
    EXPECT_EQ(h.usage().bytes_in_use, 0u);
}

} // namespace
