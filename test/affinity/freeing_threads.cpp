// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Threads that free what others allocated, and never allocate there themselves: once they have
// freed much they count it in a heap of their own.
#include <arenite/affinity/affinity_heap.hpp>
#include <arenite/affinity/detail/thread_heap.hpp>
#include <arenite/affinity/detail/thread_table.hpp>
#include <arenite/affinity/shared_heap.hpp>
#include <arenite/core/literals.hpp>

#include <gtest/gtest.h>

#include "support/helper_thread.hpp"
#include "support/thread_slabs.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#if defined(__unix__)
#include <sys/wait.h>
#include <unistd.h>
#endif

using namespace arenite;
using detail::slab_heap;
using detail::thread_heap;
using detail::thread_table;

namespace {

constexpr std::size_t bytes = 64;
/// After so many frees by one thread, of one heap, it has a heap itself.
constexpr std::size_t many = detail::remote_queue::frees_without_heap;

class affinity_freeing_threads : public testing::Test {
protected:
    void SetUp() override {
        if (!support::threads_have_slabs())
            GTEST_SKIP() << "threads have no heaps of their own to free into";
    }
    /// The next test, or the same another time, begins with no heap and no count.
    void TearDown() override {
        other.end();
        if (support::threads_have_slabs() && !HasFailure()) // else objects may be left
            h.retire();
    }

    affinity_heap& h = affinity_heap::named("freed by others");
    support::helper_thread other;
};

std::vector<void*> take(affinity_heap& h, std::size_t count) {
    std::vector<void*> all(count);
    for (void*& p : all)
        p = h.allocate(bytes, 8);
    return all;
}

void free_some(affinity_heap& h, std::vector<void*>& all, std::size_t count) {
    for (; count != 0 && !all.empty(); --count, all.pop_back())
        h.deallocate(all.back(), bytes, 8);
}

/// The calling thread's, by which it allocates and counts.
slab_heap* own_heap(void* of_affinity) {
    return thread_table::current_of_thread(thread_heap::around(of_affinity)->affinity());
}

/// A thread that frees as many new objects as earn it a heap, and ends. True if it had one.
bool free_in_short_thread(affinity_heap& h, std::vector<void*>& all) {
    const std::vector<void*> more = take(h, many);
    all.insert(all.end(), more.begin(), more.end());
    bool had_heap = false;
    std::thread{[&] {
        free_some(h, all, many);
        had_heap = own_heap(all.front()) != nullptr;
    }}.join();
    return had_heap;
}

TEST_F(affinity_freeing_threads, get_a_heap_when_they_have_freed_much) {
    std::vector<void*> all = take(h, 3 * many);
    void* const kept = all.front();
    other.run([&] {
        free_some(h, all, many - 1);
        EXPECT_EQ(own_heap(kept), nullptr) << "a few frees are worth none";
    });
    EXPECT_EQ(h.usage().live_allocations, all.size());
    const std::size_t reserved = h.usage().bytes_reserved;
    other.run([&] {
        free_some(h, all, 2);
        EXPECT_NE(own_heap(kept), nullptr);
        EXPECT_NE(own_heap(kept), &thread_heap::around(kept)->heap());
    });
    EXPECT_EQ(h.usage().live_allocations, all.size());
    EXPECT_EQ(h.usage().bytes_in_use, all.size() * bytes);
    other.run([&] { free_some(h, all, all.size()); });
    EXPECT_EQ(h.usage().live_allocations, 0u);
    EXPECT_EQ(h.usage().bytes_in_use, 0u);
    EXPECT_LE(h.usage().bytes_reserved, reserved) << "that heap has no memory to hand out";
    other.end();
    EXPECT_EQ(h.usage().live_allocations, 0u);
    h.trim();
    EXPECT_EQ(h.usage().bytes_reserved, 0u);
}

TEST_F(affinity_freeing_threads, allocate_from_that_heap_when_they_want_to) {
    std::vector<void*> all = take(h, 2 * many);
    std::vector<void*> theirs;
    other.run([&] {
        free_some(h, all, 2 * many - 1);
        const slab_heap* const own = own_heap(all.front());
        theirs = take(h, 100);
        EXPECT_EQ(own_heap(theirs.front()), own) << "no second one";
        EXPECT_EQ(&thread_heap::around(theirs.front())->heap(), own);
    });
    EXPECT_EQ(h.usage().live_allocations, 101u);
    free_some(h, theirs, 100);
    free_some(h, all, 1);
    EXPECT_EQ(h.usage().bytes_in_use, 0u);
}

/// The heap of an ended thread serves threads that allocate; one that frees leaves it to them.
TEST_F(affinity_freeing_threads, leave_abandoned_memory_to_those_that_allocate) {
    std::vector<void*> all = take(h, 2 * many);
    std::vector<void*> left;
    std::thread{[&] { left = take(h, 10'000); }}.join();
    void* const abandoned = left.back();
    left.pop_back();
    free_some(h, left, left.size()); // its heap has no thread: borrowed for each call
    thread_heap& orphan = *thread_heap::around(abandoned);
    ASSERT_TRUE(orphan.is_abandoned());
    EXPECT_TRUE(orphan.remote().is_empty());
    other.run([&] {
        free_some(h, all, 2 * many - 1);
        EXPECT_NE(own_heap(abandoned), nullptr);
        EXPECT_TRUE(orphan.is_abandoned());
    });
    free_some(h, all, 1);
    h.deallocate(abandoned, bytes, 8);
    other.end();
    EXPECT_EQ(h.usage().bytes_in_use, 0u);
}

/// Nothing of them waits to be drained.
TEST_F(affinity_freeing_threads, free_at_once_into_each_heap_that_they_adopted) {
    std::vector<void*> all = take(h, 1), left;
    std::thread{[&] { left = take(h, 10'000); }}.join();
    thread_heap& adopted = *thread_heap::around(left.front());
    while (!adopted.is_mine(thread_table::thread()) && all.size() < 1'000'000)
        all.push_back(h.allocate(bytes, 8));
    ASSERT_TRUE(adopted.is_mine(thread_table::thread()));
    thread_heap& first = *thread_heap::around(all.front());
    ASSERT_NE(&adopted, &first);
    for (std::vector<void*>* const some : {&left, &all}) // it allocates from one of the two
        free_some(h, *some, some->size());
    for (thread_heap* const each : {&adopted, &first}) {
        EXPECT_TRUE(each->remote().is_empty());
        EXPECT_EQ(each->heap().classes().bytes_in_use(each->heap().slabs().blocks()), 0u);
    }
    EXPECT_EQ(h.usage().bytes_in_use, 0u);
}

TEST_F(affinity_freeing_threads, of_short_life_leave_nothing_behind) {
    std::vector<void*> all = take(h, 1);
    std::size_t with_heap = 0, most_reserved = 0;
    for (int task = 0; task < 500; ++task) {
        with_heap += free_in_short_thread(h, all) ? 1 : 0;
        ASSERT_EQ(h.usage().live_allocations, 1u);
        most_reserved = std::max(most_reserved, h.usage().bytes_reserved);
    }
    EXPECT_GE(with_heap, 400u) << "else this test shows nothing";
    EXPECT_LE(most_reserved, 4_MiB);
    EXPECT_LE(thread_heap::around(all.front())->home().count(), 4u);
    free_some(h, all, 1);
    h.trim();
    EXPECT_EQ(h.usage().bytes_reserved, 0u);
}

/// That of one thread is not the time of those that come next.
TEST_F(affinity_freeing_threads, of_few_objects_have_no_heap_after_one_of_many) {
    std::vector<void*> all = take(h, 3 * many);
    void* const kept = all.front();
    std::size_t with_heap = 0;
    other.run([&] { free_some(h, all, many + 1); });
    for (std::size_t task = 0; task < many; ++task)
        std::thread{[&] {
            free_some(h, all, 1);
            with_heap += own_heap(kept) != nullptr ? 1 : 0;
        }}.join();
    EXPECT_LE(with_heap, 1u);
    free_some(h, all, all.size());
}

/// No heap is retired while another thread walks over them: the next thread takes it.
TEST_F(affinity_freeing_threads, take_the_empty_heaps_that_others_left) {
    std::vector<void*> all = take(h, 1);
    std::size_t with_heap = 0;
    detail::thread_heap_list& heaps = thread_heap::around(all.front())->home();
    bool is_first = true;
    heaps.for_each([&](thread_heap&) {
        if (!std::exchange(is_first, false))
            return;
        for (int task = 0; task < 100; ++task)
            with_heap += free_in_short_thread(h, all) ? 1 : 0;
    });
    EXPECT_GE(with_heap, 50u) << "else this test shows nothing";
    EXPECT_LE(heaps.count(), 4u);
    free_some(h, all, 1);
}

TEST_F(affinity_freeing_threads, reserve_no_block_where_threads_begin_with_one) {
    for (const affinity_options& options :
         {affinity_options{.name = "freed, eager", .eager = true},
          affinity_options{.name = "freed, prefaulted", .prefault = true}}) {
        affinity_heap& eager = affinity_heap::named(options.name, options);
        std::vector<void*> all = take(eager, 2 * many);
        const std::size_t reserved = eager.usage().bytes_reserved;
        other.run([&] {
            free_some(eager, all, 2 * many - 1);
            EXPECT_NE(own_heap(all.front()), nullptr);
        });
        EXPECT_EQ(eager.usage().bytes_reserved, reserved);
        free_some(eager, all, 1);
        other.end();
        eager.retire();
    }
}

/// Sums are those of the objects while several threads free, begin to count for themselves, and
/// end.
TEST_F(affinity_freeing_threads, count_right_at_every_moment) {
    constexpr std::size_t threads = 4, each = 20'000;
    for (int round = 0; round < 5; ++round) {
        std::vector<std::vector<void*>> lists;
        for (std::size_t t = 0; t < threads; ++t)
            lists.push_back(take(h, each));
        std::atomic<std::size_t> running{threads};
        std::vector<std::thread> all;
        for (auto& list : lists)
            all.emplace_back([&] {
                free_some(h, list, each);
                --running;
            });
        std::size_t before = threads * each;
        while (running.load() != 0) {
            const std::size_t now = h.usage().live_allocations;
            EXPECT_LE(now, before) << "nobody allocates";
            before = now;
        }
        for (std::thread& t : all)
            t.join();
        EXPECT_EQ(h.usage().live_allocations, 0u);
        EXPECT_EQ(h.usage().bytes_in_use, 0u);
    }
    h.trim();
    EXPECT_EQ(h.usage().bytes_reserved, 0u);
}

TEST_F(affinity_freeing_threads, may_live_longer_than_the_affinity) {
    for (int round = 0; round < 20; ++round) {
        affinity_heap& retired = affinity_heap::named("retired while others have heaps");
        std::vector<void*> all = take(retired, 2 * many);
        other.run([&] { free_some(retired, all, all.size()); });
        retired.retire();
        shared_heap level{};
        void* const last = level.allocate(bytes, 8);
        for (std::size_t i = 0; i < 2 * many; ++i)
            all.push_back(level.allocate(bytes, 8));
        other.run([&] {
            for (void* const p : all)
                level.deallocate(p, bytes, 8);
            EXPECT_NE(own_heap(last), nullptr);
        });
        EXPECT_EQ(level.usage().live_allocations, 1u);
        level.deallocate(last, bytes, 8);
    }
}

#if defined(__unix__) && !ARENITE_HAS_TSAN
TEST_F(affinity_freeing_threads, are_not_missed_in_a_forked_child) {
    std::vector<void*> all = take(h, 5 * many);
    other.run([&] { free_some(h, all, 2 * many); });
    const std::size_t left = all.size();
    other.run([&] { // by the thread that only frees
        const pid_t child = ::fork();
        if (child == 0) {
            free_some(h, all, 2 * many);
            const bool right = h.usage().live_allocations == left - 2 * many;
            std::vector<void*> own = take(h, 1000);
            free_some(h, own, own.size());
            free_some(h, all, all.size());
            ::_exit(right && h.usage().bytes_in_use == 0 ? 0 : 1);
        }
        int status = -1;
        EXPECT_EQ(::waitpid(child, &status, 0), child);
        EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
    });
    const pid_t child = ::fork(); // and by another
    if (child == 0) {
        free_some(h, all, all.size());
        ::_exit(h.usage().bytes_in_use == 0 ? 0 : 1);
    }
    int status = -1;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
    EXPECT_EQ(h.usage().live_allocations, left);
    free_some(h, all, left);
    EXPECT_EQ(h.usage().bytes_in_use, 0u);
}
#endif

} // namespace
