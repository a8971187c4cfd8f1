// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Memory that passes from one heap of an affinity to another: blocks with frees that nobody has
// seen yet, the heaps of threads that a forked child does not have, memory of an earlier strategy.
#include <arenite/affinity/affinity_heap.hpp>
#include <arenite/affinity/affinity_strategy.hpp>
#include <arenite/affinity/detail/remote_frees.hpp>
#include <arenite/affinity/detail/thread_heap.hpp>
#include <arenite/check/passthrough.hpp>
#include <arenite/os/page_resource.hpp>

#include <gtest/gtest.h>

#include "support/build_mode.hpp"
#include "support/mappings.hpp"
#include "support/operations.hpp"
#include "support/thread_slabs.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <set>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#if defined(__unix__)
#include <sys/wait.h>
#include <unistd.h>
#endif

using namespace arenite;
using detail::remote_frees;
using detail::thread_heap;

namespace {

struct giving {
    static constexpr std::string_view name = "giving";
};
struct taking {
    static constexpr std::string_view name = "taking";
};
struct forking {
    static constexpr std::string_view name = "forking";
};
struct queueing {
    static constexpr std::string_view name = "queueing";
};
struct switching {
    static constexpr std::string_view name = "switching";
};

/// Why there are no heaps of the threads' own to look at, or nullptr.
const char* nothing_to_see() {
    return passthrough()                    ? "all goes to malloc"
           : support::every_call_is_careful ? "frees take the lock there, and hang in no list"
                                            : nullptr;
}

/// Frees what is marked in a block, as its owner does, who is still told of it.
void take_marks(thread_heap& owner, remote_frees& r) {
    detail::slab_heap& heap = owner.heap();
    for (std::size_t i = 0; i < remote_frees::words; ++i)
        if (const detail::bits::word freed = r.freed[i].exchange(0))
            static_cast<void>(heap.release_word(*r.where, i, freed));
}

/// A free that is announced between the owner's look at the list and its look at the bits leaves
/// the block in the list when it is the owner's no more; the next owner's frees then hang there
/// too.
TEST(affinity_handing_over, a_block_in_the_list_of_its_earlier_owner_is_handed_on) {
    if (const char* const why = nothing_to_see())
        GTEST_SKIP() << why;
    affinity_heap& before = affinity_heap::of<giving>();
    affinity_heap& after = affinity_heap::of<taking>();
    void* const p = before.allocate(48, 8);
    thread_heap& giver = *thread_heap::around(p);
    detail::block& here = remote_frees::head_of(p);
    giver.remote().free(p, 48, 8, nullptr);
    remote_frees* const r = remote_frees::of(here);
    ASSERT_NE(r, nullptr);
    ASSERT_TRUE(r->queued.load());
    take_marks(giver, *r);
    giver.heap().trim();
    ASSERT_EQ(thread_heap::around(&here + 1), nullptr) << "the block has gone back";

    // The lowest addresses are handed out first.
    std::vector<void*> all;
    void* q = nullptr;
    do {
        q = after.allocate(48, 8);
        all.push_back(q);
    } while (&remote_frees::head_of(q) != &here && all.size() < 2'000'000);
    ASSERT_EQ(&remote_frees::head_of(q), &here) << "another heap has its place now";
    thread_heap& taker = *thread_heap::around(q);
    all.pop_back();
    taker.remote().free(q, 48, 8, nullptr);
    giver.remote().drain(detail::remote_queue::all_blocks);
    taker.remote().drain(detail::remote_queue::all_blocks);
    for (const auto& word : r->freed)
        EXPECT_EQ(word.load(), 0u) << "a free of which the block's owner was never told";
    EXPECT_FALSE(r->queued.load());
    for (void* x : all)
        after.deallocate(x, 48, 8);
    EXPECT_EQ(after.usage().bytes_in_use, 0u);
    after.trim();
}

#if defined(__unix__)
/// In the child a heap that was in the middle of a change is unowned, or there is none.
TEST(affinity_handing_over_threads, a_heap_amid_a_change_is_not_used_in_a_forked_child) {
    if (const char* const why = nothing_to_see())
        GTEST_SKIP() << why;
    affinity_heap& h = affinity_heap::of<forking>();
    static_cast<void>(h.deallocate(h.allocate(48, 8), 48, 8));
    thread_heap* owner = nullptr;
    std::atomic<int> state{0};
    std::thread other{[&] {
        void* const p = h.allocate(48, 8);
        owner = thread_heap::around(p);
        {
            const auto mark = owner->heap().gate().enter();
            state = 1;
            std::this_thread::sleep_for(std::chrono::milliseconds{100});
        }
        while (state.load() != 2)
            std::this_thread::yield();
        h.deallocate(p, 48, 8);
    }};
    while (state.load() != 1)
        std::this_thread::yield();
    const pid_t child = ::fork();
    if (child == 0)
        ::_exit(owner->heap().gate().entered() && owner->is_abandoned() ? 1 : 0);
    int status = -1;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0)
        << "a thread of the child may take a heap whose books are half written";
    state = 2;
    other.join();
}

struct surviving {
    static constexpr std::string_view name = "surviving";
};

/// Memory of other threads is not lost to the child: its threads go on with their heaps.
TEST(affinity_handing_over_threads, in_a_forked_child_the_heaps_of_other_threads_are_adopted) {
    if (const char* const why = nothing_to_see())
        GTEST_SKIP() << why;
    affinity_heap& h = affinity_heap::of<surviving>();
    void* there = nullptr;
    std::atomic<int> state{0};
    std::thread other{[&] {
        there = h.allocate(48, 8);
        state = 1;
        while (state.load() != 2)
            std::this_thread::yield();
        h.deallocate(there, 48, 8);
    }};
    while (state.load() != 1)
        std::this_thread::yield();
    const thread_heap* const owner = thread_heap::around(there);
    const pid_t child = ::fork();
    if (child == 0) {
        const thread_heap* const first = thread_heap::around(h.allocate(48, 8));
        ::_exit(first == owner ? 0 : 1);
    }
    int status = -1;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
    state = 2;
    other.join();
    h.trim();
}

/// A thread that frees another's object sets its bit, says that it enters the block in the list of
/// its owner, and enters it: at a fork it may be between the last two, and is not in the child.
TEST(affinity_handing_over_threads,
     a_block_that_was_to_be_queued_at_a_fork_is_drained_in_the_child) {
    if (const char* const why = nothing_to_see())
        GTEST_SKIP() << why;
    affinity_heap& h = affinity_heap::of<queueing>();
    std::vector<void*> all;
    std::atomic<int> state{0};
    std::thread other{[&] {
        for (int i = 0; i < 3000; ++i)
            all.push_back(h.allocate(48, 8));
        state = 1;
        while (state.load() != 2)
            std::this_thread::yield();
        h.trim();
    }};
    while (state.load() != 1)
        std::this_thread::yield();
    remote_frees* const r = remote_frees::of(remote_frees::head_of(all[0]));
    ASSERT_NE(r, nullptr);
    r->queued = true;
    h.deallocate(all[0], 48, 8); // takes its block to be in the list
    const pid_t child = ::fork();
    if (child == 0) {
        for (std::size_t i = 1; i < all.size(); ++i)
            h.deallocate(all[i], 48, 8);
        h.trim();
        ::_exit(h.usage().bytes_in_use == 0 && h.usage().bytes_reserved == 0 ? 0 : 1);
    }
    int status = -1;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0)
        << "what was freed in the child stays for ever";
    r->queued = false;
    for (std::size_t i = 1; i < all.size(); ++i)
        h.deallocate(all[i], 48, 8);
    state = 2;
    other.join();
    h.trim();
    EXPECT_EQ(h.usage().bytes_reserved, 0u);
}
#endif

/// The strategy `ordered` again when a test ends.
struct ordered_at_the_end {
    ordered_at_the_end() = default;
    ~ordered_at_the_end() { use_affinity_strategy(affinity_strategy::ordered); }
    ordered_at_the_end(const ordered_at_the_end&) = delete;
    ordered_at_the_end& operator=(const ordered_at_the_end&) = delete;
};

/// Each thread notices a change by itself, at a slow call.
TEST(affinity_handing_over_threads,
     frees_do_not_bring_back_a_strategy_that_another_thread_changed) {
    if (const char* const why = nothing_to_see())
        GTEST_SKIP() << why;
    const ordered_at_the_end at_the_end;
    affinity_heap& h = affinity_heap::of<switching>();
    std::thread{[&h] {
        std::vector<void*> of_before, of_now;
        for (int i = 0; i < 10'020; ++i)
            of_before.push_back(h.allocate(48, 8));
        std::thread{[] { use_affinity_strategy(affinity_strategy::standard); }}.join();
        do // what lies ready is handed out still
            of_now.push_back(h.allocate(48, 8));
        while (page_source().owns(of_now.back()) && of_now.size() < 100'000);
        ASSERT_FALSE(page_source().owns(of_now.back()));
        for (void* p : of_before) {
            h.deallocate(p, 48, 8);
            of_now.push_back(h.allocate(48, 8));
            ASSERT_FALSE(page_source().owns(of_now.back())) << of_now.size();
        }
        for (void* p : of_now)
            h.deallocate(p, 48, 8);
    }}.join();
    EXPECT_EQ(h.usage().bytes_in_use, 0u);
}

TEST(affinity_handing_over, a_heap_that_is_current_again_finds_what_another_strategy_gave) {
    if (passthrough())
        GTEST_SKIP() << "all goes to malloc";
    const ordered_at_the_end at_the_end;
    affinity_heap& h = affinity_heap::of<switching>();
    std::vector<void*> outside, inside;
    for (int round = 0; round < 3; ++round) {
        use_affinity_strategy(affinity_strategy::standard);
        while (outside.empty() || page_source().owns(outside.back()))
            outside.push_back(h.allocate(48, 8));
        use_affinity_strategy(affinity_strategy::ordered);
        for (int i = 0; i < 1000; ++i)
            inside.push_back(h.allocate(48, 8));
        EXPECT_TRUE(page_source().owns(inside.back()));
        for (void* p : outside)
            h.deallocate(p, 48, 8);
        outside.clear();
    }
    for (void* p : inside)
        h.deallocate(p, 48, 8);
    EXPECT_EQ(h.usage().bytes_in_use, 0u);
}

// ---- blocks that wait for their owner -----------------------------------------------------------

/// Objects of one thread, random ones of which are replaced, over far more blocks than one call
/// sees to. Others free `by_others` of 100 of them.
template <class FreeByOthers>
void expect_no_growth(affinity_heap& h, unsigned by_others, FreeByOthers free_by_others) {
    constexpr std::size_t live = 40'000; // 28 MB, in more than 100 blocks
    constexpr int rounds = 300;
    std::mt19937_64 random{support::test_seed("expect_no_growth")};
    const auto bytes_of = [](std::size_t i) { return 400 + i % 600; };
    std::vector<void*> all;
    std::set<const detail::block*> blocks;
    for (std::size_t i = 0; i < live; ++i) {
        all.push_back(h.allocate(bytes_of(i), 8));
        blocks.insert(&remote_frees::head_of(all.back()));
    }
    ASSERT_GT(blocks.size(), 96u);
    std::size_t settled = 0;
    std::vector<std::pair<void*, std::size_t>> batch;
    for (int round = 0; round < rounds; ++round) {
        for (int n = 0; n < 1000; ++n) {
            const std::size_t i = random() % live;
            if (random() % 100 < by_others)
                batch.emplace_back(all[i], bytes_of(i));
            else
                h.deallocate(all[i], bytes_of(i), 8);
            all[i] = h.allocate(bytes_of(i), 8);
        }
        free_by_others(batch);
        batch.clear();
        if (round == rounds / 3)
            settled = h.usage().bytes_reserved;
    }
    EXPECT_LE(h.usage().bytes_reserved, settled + settled / 10) << by_others << " % by others";
    EXPECT_LE(h.usage().bytes_reserved, live * 700 * 3 / 2) << by_others << " % by others";
    for (std::size_t i = 0; i < live; ++i)
        h.deallocate(all[i], bytes_of(i), 8);
    h.trim();
    EXPECT_EQ(h.usage().bytes_in_use, 0u);
    EXPECT_EQ(h.usage().bytes_reserved, 0u);
}

/// Were the newest taken first, those that are freed into all the time would keep the others
/// waiting for ever, and the heap would grow with each object.
TEST(affinity_handing_over, blocks_that_others_freed_into_wait_their_turn_and_no_longer) {
    if (const char* const why = nothing_to_see())
        GTEST_SKIP() << why;
    affinity_heap& h = affinity_heap::named("waiting in turn");
    for (const unsigned by_others : {1u, 50u, 100u})
        expect_no_growth(h, by_others, [](const auto& batch) {
            for (const auto& [p, bytes] : batch)
                thread_heap::around(p)->remote().free(p, bytes, 8, nullptr);
        });
}

TEST(affinity_handing_over_threads, memory_stays_flat_whoever_frees) {
    if (const char* const why = nothing_to_see())
        GTEST_SKIP() << why;
    affinity_heap& h = affinity_heap::named("flat whoever frees");
    for (const unsigned by_others : {10u, 90u}) {
        std::atomic<const std::vector<std::pair<void*, std::size_t>>*> to_free{nullptr};
        std::atomic<bool> over{false};
        std::thread other{[&] {
            while (!over)
                if (const auto* const batch = to_free.load()) {
                    for (const auto& [p, bytes] : *batch)
                        h.deallocate(p, bytes, 8);
                    to_free = nullptr;
                } else {
                    std::this_thread::yield();
                }
        }};
        expect_no_growth(h, by_others, [&](const auto& batch) {
            to_free = &batch;
            while (to_free.load() != nullptr)
                std::this_thread::yield();
        });
        over = true;
        other.join();
    }
}

/// Frees that a call leaves undone are kept by the heap itself: a handler that jumps out of a
/// drain loses none.
TEST(affinity_handing_over, the_oldest_blocks_are_seen_to_first_and_the_others_stay) {
    if (const char* const why = nothing_to_see())
        GTEST_SKIP() << why;
    affinity_heap& h = affinity_heap::named("oldest first");
    std::vector<void*> firsts; // of each block one
    std::vector<void*> rest;
    while (firsts.size() < 100) {
        void* const p = h.allocate(5000, 8);
        const bool is_new =
            firsts.empty() || &remote_frees::head_of(p) != &remote_frees::head_of(firsts.back());
        (is_new ? firsts : rest).push_back(p);
    }
    thread_heap& owner = *thread_heap::around(firsts[0]);
    for (void* const p : firsts)
        owner.remote().free(p, 5000, 8, nullptr);
    const auto queued = [&](std::size_t i) {
        return remote_frees::find(remote_frees::head_of(firsts[i]))->queued.load();
    };
    for (std::size_t done = 0; done < 100; done += 20) {
        for (std::size_t i = 0; i < 100; ++i)
            EXPECT_EQ(queued(i), i >= done) << i << " of " << done;
        EXPECT_NE(owner.remote().drain(20), 0u);
    }
    EXPECT_EQ(owner.remote().drain(20), 0u);
    for (void* const p : rest)
        h.deallocate(p, 5000, 8);
    h.trim();
    EXPECT_EQ(h.usage().bytes_reserved, 0u);
}

struct twice {
    static constexpr std::string_view name = "handed over: freed by two";
};

void free_by_two_threads() {
    affinity_heap& h = affinity_heap::of<twice>();
    std::vector<void*> all;
    for (int i = 0; i < 40; ++i)
        all.push_back(h.allocate(30'000));
    void* const p = all[20];
    for (void* q : all)
        if (q != p)
            h.deallocate(q, 30'000);
    std::thread{[&] { h.deallocate(p, 30'000); }}.join();
    h.deallocate(p, 30'000); // and its block is empty
    h.trim();
}

void free_by_owner_and_then_by_another() {
    affinity_heap& h = affinity_heap::of<twice>();
    void* const p = h.allocate(48);
    static_cast<void>(h.allocate(48));
    h.deallocate(p, 48);
    std::thread{[&] { h.deallocate(p, 48); }}.join();
    std::_Exit(0); // before the owner drains
}

void free_by_another_and_then_by_owner() {
    affinity_heap& h = affinity_heap::of<twice>();
    void* const p = h.allocate(48);
    static_cast<void>(h.allocate(48));
    std::thread{[&] { h.deallocate(p, 48); }}.join();
    h.deallocate(p, 48);
    h.trim(); // drains
    std::_Exit(0);
}

/// The slots are so large that their slab is kept for the next objects when it is empty.
void free_by_another_and_then_with_its_slab() {
    affinity_heap& h = affinity_heap::of<twice>();
    std::vector<void*> all;
    for (int i = 0; i < 60; ++i)
        all.push_back(h.allocate(2500));
    static_cast<void>(h.allocate(20'000));
    std::thread{[&] { h.deallocate(all[24], 2500); }}.join();
    for (std::size_t i = 0; i < 40; ++i)
        h.deallocate(all[i], 2500);
    h.trim(); // drains
    std::_Exit(0);
}

TEST(handing_over_threads_DeathTest, what_two_threads_free_is_found_when_its_block_is_empty) {
    if (support::every_call_is_careful || !support::affinities_have_slabs())
        GTEST_SKIP() << "all heaps are locked, or there are none: the second free is found itself";
    if (support::emulated())
        GTEST_SKIP() << "a fresh process would run without the emulator";
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_DEATH(free_by_two_threads(), "by two threads");
}

TEST(handing_over_threads_DeathTest, what_its_owner_and_another_free_is_found) {
    if (passthrough())
        GTEST_SKIP() << "malloc finds it";
    if (support::emulated())
        GTEST_SKIP() << "a fresh process would run without the emulator";
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_DEATH(free_by_owner_and_then_by_another(), "it is free already");
    EXPECT_DEATH(free_by_another_and_then_by_owner(), "it is free already");
    EXPECT_DEATH(free_by_another_and_then_with_its_slab(), "free already|by two threads");
}

// Bits are looked up by the address alone: a place without one must not lead out of their words.
TEST(handing_over_death, what_begins_no_object_is_found_where_another_thread_frees_it) {
    affinity_heap& h = affinity_heap::named("no objects");
    if (!support::affinities_have_slabs())
        GTEST_SKIP() << "there are no pages";
    std::vector<void*> objects;
    for (int i = 0; i < 10'000; ++i) // so many that some lie in pages
        objects.push_back(h.allocate(48, 8));
    auto* const object = static_cast<std::byte*>(objects.back());
    std::byte* const page = object - (reinterpret_cast<std::uintptr_t>(object) & 0xffff);
    const detail::slab& s = thread_heap::around(object)->heap().slabs().slab_of(object);
    ASSERT_TRUE(s.is_page());
    const std::size_t first = s.begin % detail::slab_page::bytes;
    for (void* const p : {page, page + first / 2, page + first - 16, object + 8, object + 16})
        EXPECT_DEATH(std::thread([&] { h.deallocate(p, 48, 8); }).join(), "freed") << p;
    for (void* const p : objects)
        h.deallocate(p, 48, 8);
}

} // namespace
