// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/affinity/detail/remote_queue.hpp>

#include <arenite/affinity/affinity_heap.hpp>
#include <arenite/core/upstream.hpp>
#include <arenite/ordered/detail/slab_heap.hpp>
#include <arenite/os/page_resource.hpp>

#include <gtest/gtest.h>

#include "support/build_mode.hpp"
#include "support/remote_marks.hpp"
#include "support/thread_slabs.hpp"

#include <algorithm>
#include <cstddef>
#include <random>
#include <string>
#include <thread>
#include <vector>

using namespace arenite;
using detail::remote_frees;
using detail::remote_queue;
using detail::slab_heap;

namespace {

/// A heap of this thread, and what others free of it. Other threads are played by this one, which
/// is one at a time with itself, where nothing else is said.
class remote_queue_of : public testing::Test {
protected:
    void SetUp() override {
        if (support::every_call_is_careful)
            GTEST_SKIP() << "heaps are locked in this build, and get no such frees";
        queue.serve(owner, &heap);
    }
    std::vector<void*> take(std::size_t count, std::size_t bytes) {
        std::vector<void*> all;
        for (std::size_t i = 0; i < count; ++i)
            all.push_back(heap.try_allocate(bytes, 8));
        return all;
    }
    [[nodiscard]] std::size_t live() { return queue.deducted(heap.usage()).live_allocations; }

    detail::heap_owner owner{.heap = this, .affinity = "affinity tested"};
    slab_heap heap{{}, upstream{&page_source()}, owner};
    remote_queue queue;
};

TEST_F(remote_queue_of, an_object_is_counted_at_once_and_its_slot_free_when_it_is_drained) {
    const std::vector<void*> all = take(5000, 48);
    EXPECT_EQ(live(), 5000u);
    EXPECT_TRUE(queue.is_empty());
    for (void* const p : all)
        queue.free(p, 48, 8, nullptr);
    EXPECT_FALSE(queue.is_empty());
    EXPECT_EQ(live(), 0u);
    EXPECT_FALSE(heap.nothing_lives()) << "its thread has not seen them yet";
    EXPECT_NE(queue.drain(remote_queue::all_blocks), 0u);
    EXPECT_TRUE(queue.is_empty());
    EXPECT_TRUE(heap.nothing_lives());
    EXPECT_EQ(live(), 0u);
    EXPECT_EQ(queue.drain(remote_queue::all_blocks), 0u) << "there is nothing more";
}

/// A late thread may hang a block into the list of the heap that had its addresses before.
TEST_F(remote_queue_of, all_is_drained_where_an_earlier_heap_has_blocks_in_its_list) {
    const std::vector<void*> all = take(100'000, 16); // several blocks
    remote_frees* const elsewhere[] = {remote_frees::of(remote_frees::head_of(all.front())),
                                       remote_frees::of(remote_frees::head_of(all.back()))};
    ASSERT_NE(elsewhere[0], elsewhere[1]);
    for (remote_frees* const r : elsewhere)
        ASSERT_FALSE(r->queued.exchange(true));
    for (void* const p : all)
        queue.free(p, 16, 8, nullptr);
    queue.drain(remote_queue::all_blocks);
    EXPECT_FALSE(heap.nothing_lives()) << "that heap has not drained yet";
    queue.drain_all();
    EXPECT_TRUE(heap.nothing_lives());
    for (remote_frees* const r : elsewhere)
        r->queued = false;
}

TEST(remote_queue_trim_threads, a_trim_takes_what_hangs_in_the_list_of_an_earlier_heap) {
    if (!support::threads_have_slabs())
        GTEST_SKIP() << "no thread marks what another frees";
    affinity_heap& h = affinity_heap::named("trimmed with marks");
    void* const p = h.allocate(48, 8);
    remote_frees* const r = remote_frees::of(remote_frees::head_of(p));
    ASSERT_NE(r, nullptr);
    ASSERT_FALSE(r->queued.exchange(true));
    std::thread{[&] { h.deallocate(p, 48, 8); }}.join();
    EXPECT_EQ(h.usage().bytes_in_use, 0u);
    h.trim();
    EXPECT_EQ(h.usage().bytes_reserved, 0u);
    r->queued = false;
}

/// Words that hold what was freed and not drained yet.
std::size_t marked_words(const std::vector<void*>& objects) {
    std::size_t n = 0;
    const detail::block* before = nullptr;
    for (void* const p : objects) {
        const detail::block& b = remote_frees::head_of(p);
        const remote_frees* const r = &b == before ? nullptr : remote_frees::find(b);
        before = &b;
        for (std::size_t i = 0; r != nullptr && i < remote_frees::words; ++i)
            n += r->freed[i].load() != 0 ? 1 : 0;
    }
    return n;
}

TEST_F(remote_queue_of, a_drain_ends_with_the_block_in_which_it_had_enough) {
    const std::vector<void*> all = take(100'000, 16); // a word for each 64, more than six blocks
    for (void* const p : all)
        if (p != all[0])
            queue.free(p, 16, 8, nullptr);
    std::size_t left = marked_words(all);
    EXPECT_GE(left, 100'000u / 64);
    for (const std::size_t most : {1u, 300u, 1u}) {
        const std::size_t words = queue.drain(remote_queue::all_blocks, most);
        EXPECT_GE(words, most);
        EXPECT_LT(words, most + remote_frees::words);
        EXPECT_EQ(marked_words(all), left - words);
        left -= words;
    }
    EXPECT_EQ(queue.drain(remote_queue::all_blocks), left);
    heap.deallocate(all[0], 16, 8);
    EXPECT_TRUE(heap.nothing_lives());
}

/// Another thread frees all but every 200th, so that no slab of theirs gets empty; then requests of
/// another size come, and each drains a bounded part of the more than `waiting` words.
void expect_bounded_drains(affinity_heap& h, const std::vector<void*>& all, std::size_t waiting) {
    std::thread{[&] {
        for (std::size_t i = 0; i < all.size(); ++i)
            if (i % 200 != 0)
                h.deallocate(all[i], 16, 8);
    }}.join();
    std::size_t left = marked_words(all);
    EXPECT_GT(left, waiting);
    std::size_t most = 0;
    for (int i = 0; i < 5000 && left != 0; ++i) {
        static_cast<void>(h.allocate(20'000, 8));
        const std::size_t now = marked_words(all);
        most = std::max(most, left - now);
        left = now;
    }
    EXPECT_LE(most, 4096u + remote_frees::words);
    EXPECT_EQ(left, 0u) << "further requests have drained the rest";
    h.reset();
}

void allocate_many(affinity_heap& h, std::vector<void*>& all) {
    for (int i = 0; i < 600'000; ++i)
        all.push_back(h.allocate(16, 8));
}

TEST(remote_queue_requests_threads, no_request_drains_many_words) {
    if (!support::threads_have_slabs())
        GTEST_SKIP() << "no thread marks what another frees";
    affinity_heap& h = affinity_heap::named("many words");
    std::vector<void*> all;
    allocate_many(h, all);
    expect_bounded_drains(h, all, 8000);
}

/// A thread has the heap that another left, besides its own; in both as much waits.
TEST(remote_queue_requests_threads, no_request_drains_many_words_of_several_heaps) {
    if (!support::threads_have_slabs())
        GTEST_SKIP() << "no thread marks what another frees";
    static int runs = 0; // of one process: the thread that runs them has both heaps afterwards
    affinity_heap& h =
        affinity_heap::named("many words of several heaps " + std::to_string(++runs));
    std::vector<void*> all;
    allocate_many(h, all);
    std::thread{[&] { allocate_many(h, all); }}.join();
    for (int i = 0; i < 50; ++i) // before new memory it takes the heap that was left
        static_cast<void>(h.allocate(20'000, 8));
    expect_bounded_drains(h, all, 16'000);
}

/// Parts that another thread frees soon come between objects that live long.
TEST(remote_queue_requests_threads, what_comes_and_goes_does_not_spread_what_stays) {
    if (!support::threads_have_slabs())
        GTEST_SKIP() << "no thread marks what another frees";
    affinity_heap& h = affinity_heap::named("long beside short");
    const unsigned seed = std::random_device{}();
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random{seed};
    struct part {
        void* p = nullptr;
        std::size_t bytes = 0;
    };
    const auto make = [&](unsigned powers) { // each power of two as often
        const auto bytes = static_cast<std::size_t>(random() % 100 + 100) << random() % powers;
        return part{h.allocate(bytes, 8), bytes};
    };
    std::vector<part> stay(3000), go;
    std::size_t most = 0;
    for (int batch = 0; batch < 3000; ++batch) {
        for (int i = 0; i < 60; ++i) {
            go.push_back(make(6));
            if (i % 20 != 0)
                continue;
            part& one = stay[random() % stay.size()];
            if (one.p != nullptr)
                h.deallocate(one.p, one.bytes, 8);
            one = make(9);
        }
        if (batch >= 600)
            most = std::max(most, h.usage().bytes_reserved);
        std::thread{[&] {
            for (const part& x : go)
                h.deallocate(x.p, x.bytes, 8);
        }}.join();
        go.clear();
    }
    // 25 MB stay, 0.1 MB come and go.
    EXPECT_LT(most, h.usage().bytes_in_use / 10 * 17);
    h.reset();
}

/// Requests of page sizes leave them until there is nothing else; one for units sees to a block.
TEST(remote_queue_requests_threads, only_a_request_for_units_drains_before_the_heap_is_full) {
    if (!support::threads_have_slabs())
        GTEST_SKIP() << "no thread marks what another frees";
    affinity_heap& h = affinity_heap::named("units drain");
    std::vector<void*> all;
    for (int i = 0; i < 200; ++i)
        all.push_back(h.allocate(3'000, 8));
    for (int i = 0; i < 5'000; ++i) // room in slabs of many sizes
        static_cast<void>(h.allocate(static_cast<std::size_t>(16 + i % 1'000), 8));
    for (int i = 0; i < 100; ++i)
        h.deallocate(h.allocate(60'000, 8), 60'000, 8);
    std::thread{[&] {
        for (int i = 0; i < 5; ++i)
            h.deallocate(all[static_cast<std::size_t>(i)], 3'000, 8);
    }}.join();
    const std::size_t waiting = marked_words(all);
    EXPECT_NE(waiting, 0u);
    for (int i = 0; i < 10; ++i)
        static_cast<void>(h.allocate(48, 8));
    EXPECT_EQ(marked_words(all), waiting);
    static_cast<void>(h.allocate(20'000, 8));
    EXPECT_EQ(marked_words(all), 0u);
    h.reset();
}

class remote_queue_of_death : public remote_queue_of {};

/// The last object of the block goes in the drain, before the word of what was freed twice.
TEST_F(remote_queue_of_death, what_two_freed_is_found_though_its_block_goes_before_it) {
    // One that keeps nothing: else the block would stay open.
    slab_heap emptied{{.policy = return_policy::return_all}, upstream{&page_source()}, owner};
    remote_queue its_queue;
    its_queue.serve(owner, &emptied);
    void* const all[] = {emptied.try_allocate(10'000, 8), emptied.try_allocate(10'000, 8)};
    ASSERT_LT(all[0], all[1]);
    for (void* const p : all)
        its_queue.free(p, 10'000, 8, nullptr);
    emptied.deallocate(all[1], 10'000, 8); // nothing lives there; its units are kept
    EXPECT_DEATH(its_queue.drain(remote_queue::all_blocks), "freed into .* by two threads");
    // Other tests of this process may get these addresses.
    its_queue.forget_queued_blocks();
    for (auto& word : remote_frees::find(remote_frees::head_of(all[0]))->freed)
        word.store(0);
}

TEST_F(remote_queue_of, a_heap_of_the_freeing_thread_counts_what_it_frees) {
    slab_heap mine{{}, upstream{&page_source()}, {.heap = this}};
    const std::vector<void*> all = take(100, 200);
    for (void* const p : all)
        queue.free(p, detail::unknown_bytes, 1, &mine);
    EXPECT_EQ(live(), 100u);
    EXPECT_EQ(live() + mine.usage().live_allocations, 0u);
    queue.drain(remote_queue::all_blocks);
    EXPECT_EQ(live() + mine.usage().live_allocations, 0u);
}

TEST_F(remote_queue_of, whole_pages_go_back_and_their_marks_stay) {
    const std::vector<void*> all = take(64, 8192);
    for (void* const p : all)
        queue.free(p, 8192, 8, nullptr);
    const remote_frees& r = *remote_frees::find(remote_frees::head_of(all[0]));
    const std::size_t before = support::count_marks(r);
    EXPECT_NE(before, 0u);
    const std::size_t purged = queue.purge();
    EXPECT_GT(purged, 0u);
    EXPECT_LE(purged, all.size() * 8192);
    EXPECT_EQ(support::count_marks(r), before);
    queue.drain(remote_queue::all_blocks);
    EXPECT_EQ(queue.purge(), 0u);
    EXPECT_TRUE(heap.nothing_lives());
}

TEST_F(remote_queue_of, a_heap_that_begins_anew_finds_no_marks) {
    const std::vector<void*> all = take(300, 64);
    for (void* const p : all)
        queue.free(p, 64, 8, nullptr);
    queue.drain_and_forget();
    queue.forget_counts();
    heap.reset();
    EXPECT_TRUE(queue.is_empty());
    for (void* const p : take(300, 64))
        heap.deallocate(p, 64, 8);
    EXPECT_EQ(live(), 0u);
}

TEST_F(remote_queue_of, in_a_forked_child_blocks_with_marks_are_entered_again) {
    const std::vector<void*> all = take(100, 48);
    for (void* const p : all)
        queue.free(p, 48, 8, nullptr);
    queue.forget_queued_blocks();
    EXPECT_TRUE(queue.is_empty());
    queue.queue_marked_blocks();
    EXPECT_FALSE(queue.is_empty());
    EXPECT_NE(queue.drain(remote_queue::all_blocks), 0u);
    EXPECT_TRUE(heap.nothing_lives());
}

#if defined(GTEST_HAS_DEATH_TEST)
using remote_queue_death = remote_queue_of;

TEST_F(remote_queue_death, misuse_is_found_at_the_call) {
    const std::vector<void*> all = take(20'000, 48);
    for (void* const p : {all.front(), all.back()}) { // in units, and in a page
        EXPECT_DEATH(queue.free(static_cast<std::byte*>(p) + 8, 48, 8, nullptr),
                     "not to its begin");
        for (const std::size_t wrong : {32u, 49u, 500u})
            EXPECT_DEATH(queue.free(p, wrong, 8, nullptr), "affinity tested.*allocated as 48");
        queue.free(p, 48, 8, nullptr);
        EXPECT_DEATH(queue.free(p, 48, 8, nullptr), "another thread freed it already");
        queue.drain(remote_queue::all_blocks);
        EXPECT_DEATH(queue.free(p, 48, 8, nullptr), "free already");
    }
    for (void* const p : all)
        if (p != all.front() && p != all.back())
            queue.free(p, detail::unknown_bytes, 1, nullptr);
    queue.drain(remote_queue::all_blocks);
}
#endif

using remote_queue_threads = remote_queue_of;

TEST_F(remote_queue_threads, no_free_is_lost_while_its_thread_drains) {
    constexpr int rounds = 200;
    for (int round = 0; round < rounds; ++round) {
        const std::vector<void*> all = take(400, 96);
        std::vector<std::thread> others;
        for (std::size_t n = 0; n < 2; ++n)
            others.emplace_back([&, n] {
                for (std::size_t i = n; i < all.size(); i += 2)
                    queue.free(all[i], 96, 8, nullptr);
            });
        for (int i = 0; i < 20; ++i)
            queue.drain(1);
        for (std::thread& t : others)
            t.join();
        queue.drain(remote_queue::all_blocks);
        ASSERT_TRUE(heap.nothing_lives()) << "after round " << round;
    }
}

} // namespace
