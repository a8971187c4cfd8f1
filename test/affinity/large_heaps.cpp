// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// The heaps for large objects: which one a thread gets, and that an affinity uses them all.
#include <arenite/affinity/detail/thread_heap_list.hpp>

#include <arenite/affinity/affinity_heap.hpp>
#include <arenite/affinity/detail/thread_heap.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/core/region.hpp>

#include "support/helper_thread.hpp"
#include "support/limits.hpp"
#include "support/mappings.hpp"
#include "support/misuse.hpp"
#include "support/thread_slabs.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#if LIMITS_CAN_BE_TESTED
#include <sys/resource.h>
#endif

using namespace arenite;
using detail::large_heaps;
using detail::thread_heap;

namespace {

class large_heaps_threads : public testing::Test {
protected:
    ~large_heaps_threads() override { list.end(); }

    /// One of them, locked by the calling thread.
    [[nodiscard]] thread_heap* lock_one() { return heaps.lock_one(&make, this); }

    [[nodiscard]] std::size_t count() const {
        std::size_t n = 0;
        heaps.for_each([&](const thread_heap&) { ++n; });
        return n;
    }

    detail::thread_heap_list list;
    large_heaps heaps;
    std::size_t may_make = large_heaps::most;

private:
    static thread_heap* make(void* me) noexcept {
        auto& self = *static_cast<large_heaps_threads*>(me);
        if (self.may_make == 0)
            return nullptr;
        --self.may_make;
        thread_heap* const made = thread_heap::make(self.list, {nullptr, "affinity large"}, 62, {},
                                                    detail::thread_heap_kind::large);
        self.list.add(*made);
        return made;
    }
};

TEST_F(large_heaps_threads, one_serves_threads_that_do_not_meet) {
    support::helper_thread other;
    thread_heap* const one = lock_one();
    ASSERT_NE(one, nullptr);
    one->lock().unlock();
    for (int i = 0; i < 3; ++i)
        other.run([&] {
            thread_heap* const its = lock_one();
            EXPECT_EQ(its, one);
            its->lock().unlock();
        });
    EXPECT_EQ(count(), 1u);
}

TEST_F(large_heaps_threads, a_thread_that_met_another_stays_where_it_went) {
    thread_heap* const mine = lock_one();
    support::helper_thread other;
    thread_heap* its = nullptr;
    other.run([&] {
        its = lock_one();
        EXPECT_NE(its, mine);
        its->lock().unlock();
    });
    mine->lock().unlock();
    other.run([&] {
        thread_heap* const again = lock_one();
        EXPECT_EQ(again, its) << "it does not return to where the first thread is";
        again->lock().unlock();
    });
    thread_heap* const again = lock_one();
    EXPECT_EQ(again, mine);
    again->lock().unlock();
    EXPECT_EQ(count(), 2u);
}

TEST_F(large_heaps_threads, if_all_that_may_be_are_locked_a_thread_waits) {
    std::set<thread_heap*> locked;
    for (std::size_t i = 0; i < large_heaps::most; ++i)
        locked.insert(lock_one()); // this thread holds the others
    EXPECT_EQ(locked.size(), large_heaps::most);
    EXPECT_EQ(count(), large_heaps::most);
    std::atomic<thread_heap*> its{nullptr};
    std::thread other{[&] {
        its = lock_one();
        its.load()->lock().unlock();
    }};
    std::this_thread::sleep_for(std::chrono::milliseconds{20});
    EXPECT_EQ(its, nullptr);
    for (thread_heap* const each : locked)
        each->lock().unlock();
    other.join();
    EXPECT_TRUE(locked.contains(its));
    EXPECT_EQ(count(), large_heaps::most);
}

TEST_F(large_heaps_threads, if_no_more_can_be_made_a_thread_waits) {
    may_make = 1;
    thread_heap* const mine = lock_one();
    std::atomic<thread_heap*> its{nullptr};
    std::thread other{[&] {
        its = lock_one();
        its.load()->lock().unlock();
    }};
    std::this_thread::sleep_for(std::chrono::milliseconds{20});
    EXPECT_EQ(its, nullptr);
    mine->lock().unlock();
    other.join();
    EXPECT_EQ(its, mine);
}

TEST_F(large_heaps_threads, without_memory_for_the_first_there_is_none) {
    may_make = 0;
    EXPECT_EQ(lock_one(), nullptr);
    may_make = 1;
    thread_heap* const one = lock_one();
    ASSERT_NE(one, nullptr);
    one->lock().unlock();
    heaps.forget();
    EXPECT_EQ(count(), 0u);
}

/// Holds the lock of a heap of large objects while it learns what lies there.
class held_up final : public region_sink {
public:
    explicit held_up(affinity_heap& heap) : lists_{[this, &heap] { heap.list_regions(*this); }} {
        while (!is_in_)
            std::this_thread::yield();
    }
    ~held_up() {
        may_end = true;
        lists_.join();
    }
    void add(const region&) override {
        is_in_ = true;
        for (int i = 0; i < 3000 && !may_end; ++i)
            std::this_thread::sleep_for(std::chrono::milliseconds{10});
        was_waited_for = was_waited_for || !may_end;
    }
    std::atomic<bool> may_end{false}, was_waited_for{false};

private:
    std::atomic<bool> is_in_{false};
    std::thread lists_;
};

constexpr std::size_t bytes = 100'000;

TEST(affinity_large_heaps_threads, an_allocation_does_not_wait_for_another_thread) {
    if (!support::affinities_have_slabs())
        GTEST_SKIP() << "another strategy has its own locks";
    affinity_heap& heap = affinity_heap::named("large, not waiting");
    void* const p = heap.allocate(bytes);
    void* q = nullptr;
    {
        held_up listed{heap};
        q = heap.allocate(bytes);
        std::memset(q, 1, bytes);
        heap.deallocate(q, bytes);
        q = heap.allocate(bytes);
        EXPECT_FALSE(listed.was_waited_for);
    }
    EXPECT_NE(thread_heap::around(p), thread_heap::around(q));
    EXPECT_EQ(affinity_heap::heap_of(p), &heap);
    EXPECT_EQ(affinity_heap::heap_of(q), &heap);
    EXPECT_EQ(heap.usage().live_allocations, 2u);
    EXPECT_GE(heap.size_of(q), bytes);
    std::ostringstream report;
    heap.report(report);
    EXPECT_NE(report.str().find("large: 2 objects"), std::string::npos) << report.str();
    std::thread{[&] {
        heap.deallocate(q, bytes);
        heap.deallocate(p, bytes);
    }}.join();
    EXPECT_EQ(heap.usage().live_allocations, 0u);
    heap.trim();
    EXPECT_EQ(heap.usage().bytes_reserved, 0u);
}

TEST(affinity_large_heaps_threads, what_is_freed_twice_in_a_further_one_is_found) {
    if (!support::affinities_have_slabs())
        GTEST_SKIP() << "another strategy has its own locks";
    affinity_heap& heap = affinity_heap::named("large, freed twice");
    void* const p = heap.allocate(bytes);
    void* q = nullptr;
    {
        held_up listed{heap};
        q = heap.allocate(bytes);
    }
    heap.deallocate(q, bytes);
    EXPECT_TRUE(support::is_misuse([&] { heap.deallocate(q, bytes); }));
    heap.deallocate(p, bytes);
    heap.reset();
    EXPECT_EQ(heap.usage().bytes_reserved, 0u);
}

#if LIMITS_CAN_BE_TESTED
TEST(affinity_large_heaps_death, one_that_gets_no_memory_uses_what_another_has) {
    if (!support::affinities_have_slabs())
        GTEST_SKIP() << "another strategy has its own locks";
    if (support::emulated())
        GTEST_SKIP() << "limits are not heeded there: it would take all memory of the machine";
    const auto scene = [] { // in a child, since the limit stays
        affinity_heap& heap = affinity_heap::named("large, limited");
        void* const mine = heap.allocate(bytes);
        std::vector<void*> theirs(400);
        void* lock_holder = nullptr;
        {
            const held_up listed{heap};
            std::thread{[&] {
                lock_holder = heap.allocate(bytes);
                for (void*& p : theirs)
                    p = heap.allocate(bytes);
            }}.join();
        }
        const thread_heap* const second = thread_heap::around(lock_holder);
        for (std::size_t i = 0; i < theirs.size(); ++i)
            if (i % 8 != 0) // no span is empty
                heap.deallocate(theirs[i], bytes);
        const rlimit limit{support::address_space_in_use() + 16_MiB,
                           support::address_space_in_use() + 16_MiB};
        ::setrlimit(RLIMIT_AS, &limit);
        std::size_t there = 0;
        while (void* const p = heap.try_allocate(bytes))
            there += thread_heap::around(p) == second ? 1 : 0;
        heap.deallocate(mine, bytes);
        std::_Exit(there > theirs.size() / 2 ? 0 : 1);
    };
    EXPECT_EXIT(scene(), testing::ExitedWithCode(0), "");
}
#endif

} // namespace
