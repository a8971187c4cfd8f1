// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/affinity/detail/thread_table.hpp>

#include <arenite/affinity/affinity_heap.hpp>
#include <arenite/check/passthrough.hpp>
#include <arenite/core/detail/thread_exit.hpp>
#include <arenite/ordered/detail/slab_heap.hpp>

#include <gtest/gtest.h>

#include <thread>

#if defined(__unix__)
#include <pthread.h>
#endif

using namespace arenite;
using detail::thread_table;

namespace {

struct tables {
    static constexpr std::string_view name = "tables";
};

TEST(thread_table_threads, a_thread_without_a_table_has_no_heap_ready_anywhere) {
    std::thread{[] {
        EXPECT_EQ(thread_table::mine(), nullptr);
        for (unsigned i = 0; i < detail::most_affinities; ++i)
            for (const std::size_t alignment : {8u, 16u})
                EXPECT_EQ(thread_table::ready_at(thread_table::place_of(i), alignment), nullptr);
        EXPECT_EQ(thread_table::ready_at(0, 8), nullptr);
    }}.join();
}

TEST(thread_table_threads, a_table_of_an_ended_thread_serves_the_next) {
    thread_table* first = nullptr;
    std::thread{[&] {
        first = thread_table::make();
        EXPECT_EQ(thread_table::make(), first);
        EXPECT_EQ(thread_table::mine(), first);
    }}.join();
    std::thread{[&] { EXPECT_EQ(thread_table::make(), first); }}.join();
}

TEST(thread_table_threads, heaps_are_ready_for_alignments_that_their_affinity_has) {
    std::thread{[] {
        thread_table& mine = *thread_table::make();
        alignas(detail::slab_heap) static std::byte place[sizeof(detail::slab_heap)];
        auto& heap = reinterpret_cast<detail::slab_heap&>(place);
        const auto ready = [](std::size_t alignment) {
            return thread_table::ready_at(thread_table::place_of(63), alignment);
        };
        mine.start(63, heap, 1);
        EXPECT_EQ(ready(8), &heap);
        EXPECT_EQ(ready(16), &heap);
        mine.start(63, heap, 16);
        EXPECT_EQ(ready(8), nullptr);
        EXPECT_EQ(ready(16), &heap);
        mine.start(63, heap, 32);
        EXPECT_EQ(ready(16), nullptr);
        EXPECT_EQ(mine.current(63), &heap);
        mine.stop(63);
        EXPECT_EQ(ready(16), nullptr);
        EXPECT_EQ(mine.current(63), nullptr);
    }}.join();
}

void allocate_one() {
    affinity_heap& h = affinity_heap::of<tables>();
    h.deallocate(h.allocate(40, 8), 40, 8);
}

/// Runs a thread that allocates, and of which an object, at its end, does so again and then calls
/// check().
void end_a_thread(void (*check)()) {
    struct late {
        void (*check)() = nullptr;
        ~late() {
            if (check == nullptr)
                return;
            allocate_one();
            check();
        }
    };
    std::thread{[check] {
        static thread_local late object;
        object.check = check;
        allocate_one();
        EXPECT_NE(thread_table::mine(), nullptr);
    }}.join();
}

#if defined(__unix__)
TEST(thread_table_threads, objects_of_a_thread_that_ends_still_use_its_heap) {
    if (passthrough())
        GTEST_SKIP() << "all goes to malloc";
    end_a_thread([] { EXPECT_NE(thread_table::mine(), nullptr); });
}

// Keys whose objects are made again by each other's ends are called in four rounds.
TEST(thread_table_threads, nothing_is_kept_for_a_thread_that_has_ended) {
    if (passthrough())
        GTEST_SKIP() << "all goes to malloc";
    static pthread_key_t key;
    static int rounds = 0;
    // ThreadSanitizer's own memory of a thread ends in the last of four rounds.
    static constexpr int all_rounds = ARENITE_HAS_TSAN ? 3 : 4;
    ASSERT_EQ(pthread_key_create(&key,
                                 [](void* p) {
                                     allocate_one();
                                     if (++rounds < all_rounds)
                                         pthread_setspecific(key, p);
                                 }),
              0);
    std::thread{[] {
        allocate_one();
        EXPECT_NE(thread_table::mine(), nullptr);
        pthread_setspecific(key, &key);
    }}.join();
    EXPECT_EQ(rounds, all_rounds);
    pthread_key_delete(key);
    std::thread{[] {
        static_cast<void>(thread_table::make());
        detail::thread_exit::await([]() noexcept {
            allocate_one(); // comes before the heaps' own end, which was awaited first
            EXPECT_NE(thread_table::mine(), nullptr);
        });
        detail::thread_exit::await_last([]() noexcept {
            allocate_one();
            EXPECT_EQ(thread_table::mine(), nullptr);
            EXPECT_EQ(thread_table::make(), nullptr);
        });
    }}.join();
}
#else
TEST(thread_table_threads, nothing_is_kept_for_a_thread_that_has_ended) {
    end_a_thread([] {
        EXPECT_EQ(thread_table::mine(), nullptr);
        EXPECT_EQ(thread_table::make(), nullptr);
    });
}
#endif

} // namespace
