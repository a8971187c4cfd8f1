// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Threads that come and go, sleep, fork, and are watched.

#include <arenite/affinity/affinity_heap.hpp>
#include <arenite/affinity/affinity_strategy.hpp>
#include <arenite/affinity/detail/thread_heap.hpp>
#include <arenite/check/detail/poison.hpp>
#include <arenite/check/passthrough.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/os/detail/platform.hpp>
#include <arenite/report/memory_map.hpp>

#include <gtest/gtest.h>

#include "support/mappings.hpp"
#include "support/region_list.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <random>
#include <sstream>
#include <thread>
#include <vector>

#if defined(__unix__)
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

using namespace arenite;

namespace {

affinity_heap& first() { return affinity_heap::named("first of the threads"); }
affinity_heap& second() { return affinity_heap::named("second of the threads"); }

struct box {
    affinity_heap* heap;
    void* p;
    std::size_t bytes;
};

void empty(std::vector<box>& boxes) {
    for (const box& b : boxes)
        b.heap->deallocate(b.p, b.bytes, 8);
    boxes.clear();
}

// ---- many short threads -------------------------------------------------------------------------

TEST(affinity_lives_threads, tasks_on_short_threads_leave_no_more_than_lives) {
    if (passthrough())
        GTEST_SKIP() << "all goes to malloc";
    std::vector<box> made; // by tasks, freed here
    std::size_t most_reserved = 0;
    for (int task = 0; task < 4000; ++task) {
        std::thread{[&] {
            affinity_heap& h = task % 2 == 0 ? first() : second();
            made.push_back({&h, h.allocate(48, 8), 48});
        }}.join();
        if (made.size() == 20)
            empty(made);
        most_reserved = std::max(most_reserved,
                                 first().usage().bytes_reserved + second().usage().bytes_reserved);
    }
    empty(made);
    first().trim();
    second().trim();
    EXPECT_EQ(first().usage().bytes_reserved + second().usage().bytes_reserved, 0u);
    EXPECT_LE(most_reserved, 2_MiB);
}

TEST(affinity_lives_threads, who_allocates_too_keeps_few_of_the_heaps_that_tasks_left) {
    if (passthrough())
        GTEST_SKIP() << "all goes to malloc";
    std::vector<box> made;
    std::vector<box> mine;
    for (int task = 0; task < 1000; ++task) {
        std::thread{[&] {
            made.push_back({&first(), first().allocate(48, 8), 48});
            made.push_back({&first(), first().allocate(3000, 8), 3000});
        }}.join();
        for (int i = 0; i < 100; ++i)
            mine.push_back({&first(), first().allocate(400, 8), 400});
        if (made.size() >= 100)
            empty(made);
    }
    const usage now = first().usage();
    EXPECT_LE(now.bytes_reserved, 2 * now.bytes_in_use + 8_MiB);
    empty(made);
    empty(mine);
    first().trim();
    EXPECT_EQ(first().usage().bytes_reserved, 0u);
}

TEST(affinity_lives_threads, the_high_water_never_falls) {
    if (passthrough())
        GTEST_SKIP() << "all goes to malloc";
    affinity_heap& h = affinity_heap::named("high water");
    constexpr std::size_t each = 20'000, bytes = 96;
    constexpr std::size_t all = 4 * each * bytes * 9 / 10; // seen at slow calls
    std::vector<std::thread> threads;
    std::atomic<int> full{0};
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&] {
            std::vector<void*> made;
            for (std::size_t i = 0; i < each; ++i)
                made.push_back(h.allocate(bytes, 8));
            ++full;
            while (full.load() != 4)
                std::this_thread::yield();
            for (void* p : made)
                h.deallocate(p, bytes, 8);
        });
    for (std::thread& t : threads)
        t.join();
    EXPECT_GE(h.usage().high_water_bytes, all) << "the threads have ended";
    h.trim();
    const std::size_t most = h.usage().high_water_bytes;
    EXPECT_GE(most, all);
    for (int i = 0; i < 10; ++i) { // later threads with less do not add up
        std::thread{[&] { h.deallocate(h.allocate(bytes, 8), bytes, 8); }}.join();
        h.trim();
    }
    EXPECT_EQ(h.usage().high_water_bytes, most);
}

TEST(affinity_lives_threads, sums_are_right_at_the_moment_when_a_heap_is_retired) {
    affinity_heap& h = affinity_heap::named("summed up");
    std::atomic<bool> stop{false};
    std::thread trims{[&] {
        while (!stop)
            h.trim();
    }};
    int wrong = 0;
    for (int i = 0; i < 1000; ++i) {
        void* const p = h.allocate(64, 8);
        std::thread{[&] { // its heap, which is retired soon, has one object less than none
            h.deallocate(h.allocate(64, 8), 64, 8);
            h.deallocate(p, 64, 8);
        }}
            .join();
        for (int look = 0; look < 20; ++look)
            wrong += h.usage().live_allocations != 0 ? 1 : 0;
    }
    stop = true;
    trims.join();
    EXPECT_EQ(wrong, 0);
}

TEST(affinity_lives_threads, more_heaps_than_4096_are_there_at_a_time) {
    if (passthrough())
        GTEST_SKIP() << "all goes to malloc";
    detail::thread_heap_list heaps; // of threads that are but addresses
    std::vector<char> threads(4200);
    std::vector<detail::thread_heap*> all;
    for (const char& thread : threads) {
        all.push_back(detail::thread_heap::make(heaps, {nullptr, "many"}, 63, {},
                                                detail::thread_heap_kind::ordered));
        ASSERT_NE(all.back(), nullptr);
        ASSERT_TRUE(all.back()->adopt(&thread));
        heaps.add(*all.back());
    }
    EXPECT_EQ(heaps.count(), threads.size());
    for (detail::thread_heap* s : all)
        heaps.abandon(*s);
    EXPECT_LE(heaps.count(), 2u);
}

TEST(affinity_lives_threads, the_memory_of_retired_heaps_goes_back_and_they_serve_again) {
    const std::size_t page = detail::os::platform::page_bytes();
    if (passthrough() || support::emulated() || page > 4096)
        GTEST_SKIP() << "all goes to malloc, or what is resident is not told, or pages are larger";
    const auto make = [](detail::thread_heap_list& home, const void* thread) {
        detail::thread_heap* const s = detail::thread_heap::make(home, {nullptr, "retired"}, 63, {},
                                                                 detail::thread_heap_kind::ordered);
        EXPECT_TRUE(s != nullptr && s->adopt(thread));
        home.add(*s);
        return s;
    };
    constexpr std::size_t count = 200;
    detail::thread_heap_list heaps;
    std::vector<detail::thread_heap*> all;
    for (std::size_t i = 0; i < count; ++i)
        all.push_back(make(heaps, &heaps));
    const auto resident = [&] {
        std::size_t bytes = 0;
        for (detail::thread_heap* s : all) {
            const std::uintptr_t begin = align_down(address_of(&s->heap()), page);
            bytes += detail::os::platform::resident_bytes(reinterpret_cast<void*>(begin), 2 * page);
        }
        return bytes;
    };
    EXPECT_EQ(resident(), count * 2 * page);
    for (detail::thread_heap* s : all)
        heaps.abandon(*s);
    first().trim(); // of any affinity
    EXPECT_EQ(resident(), heaps.count() * 2 * page) << "of the two that wait";
    detail::thread_heap_list others;
    for (std::size_t i = 0; i < count / 2; ++i) {
        detail::thread_heap* const s = make(others, &others);
        void* const p = s->heap().try_allocate(40, 8); // of no other thread, locked or not
        ASSERT_NE(p, nullptr);
        s->heap().deallocate(p, 40, 8);
    }
    others.for_each([&](detail::thread_heap& s) { others.abandon(s); });
}

#if defined(__unix__)

TEST(affinity_lives_threads, a_first_use_in_a_keys_destructor_leaves_nothing_that_nobody_has) {
    if (passthrough())
        GTEST_SKIP() << "all goes to malloc";
    if (detail::poison::active)
        GTEST_SKIP() << "the C library loses its own note of a destructor that comes too late";
    static affinity_heap& h = affinity_heap::named("used at the very end");
    pthread_key_t key;
    ASSERT_EQ(pthread_key_create(&key, [](void*) { h.deallocate(h.allocate(40, 8), 40, 8); }), 0);
    std::size_t reserved = 0;
    for (int i = 0; i < 200; ++i) {
        std::thread{[&] { pthread_setspecific(key, &key); }}.join();
        if (i == 10)
            reserved = h.usage().bytes_reserved;
    }
    EXPECT_LE(h.usage().bytes_reserved, reserved);
    h.trim();
    EXPECT_EQ(h.usage().bytes_reserved, 0u);
    // Who only frees needs no heap.
    static void* object = nullptr;
    pthread_key_t freeing;
    ASSERT_EQ(pthread_key_create(&freeing, [](void*) { h.deallocate(object, 40, 8); }), 0);
    object = h.allocate(40, 8);
    const std::size_t held = h.usage().bytes_reserved;
    std::thread{[&] { pthread_setspecific(freeing, &key); }}.join();
    EXPECT_EQ(h.usage().bytes_reserved, held);
    EXPECT_EQ(h.usage().bytes_in_use, 0u);
    pthread_key_delete(key);
    pthread_key_delete(freeing);
}

#endif

// ---- a thread that sleeps -----------------------------------------------------------------------

TEST(affinity_lives_threads, what_others_freed_of_a_sleeping_threads_goes_back_when_trimmed) {
    if (passthrough() || detail::slow_only)
        GTEST_SKIP() << "every heap is locked in this build: none is one thread's alone";
    if (support::emulated())
        GTEST_SKIP() << "what is resident is not told there";
    affinity_heap& h = affinity_heap::named("asleep");
    constexpr std::size_t count = 400'000;
    std::vector<void*> all(count);
    std::atomic<int> state{0};
    std::thread owner{[&] {
        for (void*& p : all)
            p = std::memset(h.allocate(100, 8), 1, 100);
        state = 1;
        while (state.load() != 2)
            std::this_thread::yield();
        for (int i = 0; i < 1000; ++i) { // all is in order
            void* const p = h.allocate(100, 8);
            std::memset(p, 2, 100);
            h.deallocate(p, 100, 8);
        }
    }};
    while (state.load() != 1)
        std::this_thread::yield();
    void* const kept = all.back();
    all.pop_back();
    for (void* const p : all)
        h.deallocate(p, 100, 8);
    const auto resident = [&] {
        const auto [low, high] = std::minmax_element(all.begin(), all.end());
        const std::uintptr_t page = detail::os::platform::page_bytes();
        const std::uintptr_t begin = align_down(address_of(*low), page);
        return detail::os::platform::resident_bytes(reinterpret_cast<void*>(begin),
                                                    align_down(address_of(*high) - begin, page));
    };
    EXPECT_GE(resident(), count * 90);
    const affinity_heap::trim_result done = h.trim();
    EXPECT_GE(done.bytes_purged, count * 90);
    EXPECT_LE(resident(), count * 15);
    EXPECT_EQ(*static_cast<char*>(kept), 1);
    state = 2;
    owner.join();
    h.deallocate(kept, 100, 8);
    EXPECT_EQ(h.usage().bytes_in_use, 0u);
    h.trim();
    EXPECT_EQ(h.usage().bytes_reserved, 0u);
}

TEST(affinity_lives_threads, trims_from_afar_take_nothing_from_who_works) {
    affinity_heap& h = affinity_heap::named("trimmed while at work");
    std::atomic<bool> stop{false};
    std::vector<std::thread> all;
    std::atomic<void*> handed[64] = {};
    for (unsigned t = 0; t < 3; ++t)
        all.emplace_back([&, t] {
            std::mt19937 random{t};
            while (!stop.load(std::memory_order_relaxed)) {
                for (auto& place : handed) {
                    auto* const p =
                        static_cast<std::size_t*>(h.allocate(random() % 64 == 0 ? 40'000 : 600, 8));
                    *p = address_of(p);
                    auto* const old = static_cast<std::size_t*>(place.exchange(p));
                    if (old == nullptr)
                        continue;
                    EXPECT_EQ(*old, address_of(old));
                    h.deallocate(old);
                }
            }
        });
    for (int i = 0; i < 300; ++i)
        h.trim();
    stop = true;
    for (std::thread& t : all)
        t.join();
    for (auto& place : handed)
        if (void* const p = place.load())
            h.deallocate(p);
    EXPECT_EQ(h.usage().bytes_in_use, 0u);
    h.trim();
    EXPECT_EQ(h.usage().bytes_reserved, 0u);
}

TEST(affinity_lives_threads, one_call_sees_to_few_blocks_of_what_others_freed) {
    if (passthrough() || detail::slow_only)
        GTEST_SKIP() << "every heap is locked in this build: none is one thread's alone";
    affinity_heap& h = affinity_heap::named("drained step by step");
    std::vector<void*> all;
    for (int i = 0; i < 40'000; ++i)
        all.push_back(h.allocate(1000, 8));
    std::thread{[&] {
        for (void* const p : all)
            h.deallocate(p, 1000, 8);
    }}.join();
    const auto waiting = [&] {
        std::size_t blocks = 0;
        detail::block* before = nullptr;
        for (void* const p : all) {
            auto& b = detail::remote_frees::head_of(p);
            if (&b == before)
                continue;
            before = &b;
            const detail::remote_frees* const r = detail::remote_frees::find(b);
            blocks += r != nullptr && r->queued.load() ? 1 : 0;
        }
        return blocks;
    };
    const std::size_t before = waiting();
    EXPECT_GE(before, 100u);
    void* p = h.allocate(5000, 8); // of a size that it has nothing of
    EXPECT_GE(waiting(), before - 64);
    h.deallocate(p, 5000, 8);
    EXPECT_EQ(h.usage().bytes_in_use, 0u);
    h.trim();
}

TEST(affinity_lives_threads, what_others_freed_of_a_size_serves_it_wherever_it_waits) {
    if (passthrough() || detail::slow_only)
        GTEST_SKIP() << "every heap is locked in this build: none is one thread's alone";
    affinity_heap& h = affinity_heap::named("drained until served");
    std::vector<void*> wanted, others;
    for (int i = 0; i < 20'000; ++i)
        wanted.push_back(h.allocate(400, 8));
    for (int i = 0; i < 40'000; ++i)
        others.push_back(h.allocate(1000, 8));
    // The others wait longer, in some 150 blocks. No block gets empty: a span that goes back may be
    // followed by a longer one.
    std::thread{[&] {
        for (std::size_t i = 0; i < others.size(); i += 2)
            h.deallocate(others[i], 1000, 8);
        for (std::size_t i = 0; i < wanted.size(); i += 2)
            h.deallocate(wanted[i], 400, 8);
    }}.join();
    const std::size_t before = h.usage().bytes_reserved;
    for (std::size_t i = 0; i < wanted.size(); i += 2) {
        wanted[i] = h.allocate(400, 8);
        ASSERT_LE(h.usage().bytes_reserved, before) << "what was freed waits, and new memory came";
    }
    for (void* const p : wanted)
        h.deallocate(p, 400, 8);
    for (std::size_t i = 1; i < others.size(); i += 2)
        h.deallocate(others[i], 1000, 8);
    EXPECT_EQ(h.usage().bytes_in_use, 0u);
    h.trim();
    EXPECT_EQ(h.usage().bytes_reserved, 0u);
}

// ---- watched ------------------------------------------------------------------------------------

TEST(affinity_lives_threads, reports_and_maps_are_whole_while_others_work) {
    affinity_heap& h = affinity_heap::named("watched");
    std::atomic<bool> stop{false};
    std::vector<std::thread> all;
    std::atomic<void*> handed[64] = {};
    for (unsigned t = 0; t < 3; ++t)
        all.emplace_back([&, t] {
            std::mt19937 random{t};
            std::vector<std::pair<void*, std::size_t>> mine;
            while (!stop.load(std::memory_order_relaxed)) {
                const std::size_t bytes = 1 + random() % (random() % 32 == 0 ? 100'000 : 500);
                if (mine.size() < 100 || (mine.size() < 2000 && random() % 2 == 0)) {
                    mine.emplace_back(h.allocate(bytes, 8), bytes);
                } else {
                    const auto [p, n] = mine.back();
                    mine.pop_back();
                    h.deallocate(p, n, 8);
                    if (void* const old = handed[random() % 64].exchange(h.allocate(100, 8)))
                        h.deallocate(old, 100, 8);
                }
            }
            for (const auto& [p, n] : mine)
                h.deallocate(p, n, 8);
        });
    for (int i = 0; i < 30; ++i) {
        // An object that goes from one thread to another meanwhile may be listed twice.
        const memory_map map{h};
        EXPECT_TRUE(support::are_in_order(map.regions()));
        std::ostringstream text;
        h.report(text);
        h.report_json(text);
        affinity_heap::report_all(text);
        EXPECT_NE(text.str().find("affinity watched"), std::string::npos);
        const usage now = affinity_heap::usage_all();
        EXPECT_LE(now.bytes_in_use, now.bytes_reserved);
    }
    stop = true;
    for (std::thread& t : all)
        t.join();
    for (auto& place : handed)
        if (void* const p = place.load())
            h.deallocate(p, 100, 8);
    EXPECT_EQ(h.usage().bytes_in_use, 0u);
}

// ---- forks --------------------------------------------------------------------------------------

#if defined(__unix__)

TEST(affinity_lives_threads, forks_beside_threads_that_allocate_much_are_quick_and_lose_nothing) {
    affinity_heap& h = affinity_heap::named("forked");
    std::atomic<bool> stop{false};
    std::vector<std::thread> all;
    for (int t = 0; t < 8; ++t)
        all.emplace_back([&] {
            std::vector<void*> mine;
            while (!stop.load(std::memory_order_relaxed)) {
                mine.push_back(h.allocate(40'000, 8));
                mine.push_back(h.allocate(200'000, 8));
                mine.push_back(h.allocate(48, 8));
                if (mine.size() > 60) {
                    for (void* const p : mine)
                        h.deallocate(p);
                    mine.clear();
                }
            }
            for (void* const p : mine)
                h.deallocate(p);
        });
    using clock = std::chrono::steady_clock;
    clock::duration worst{};
    for (int i = 0; i < 20; ++i) {
        const auto before = clock::now();
        const pid_t child = ::fork();
        if (child == 0) {
            ::alarm(60);
            // Every heap there was serves here: none is in the middle of a change.
            for (int k = 0; k < 200; ++k)
                h.deallocate(h.allocate(40'000, 8), 40'000, 8);
            h.trim();
            const usage now = h.usage();
            // Under AddressSanitizer malloc may hang here.
            const bool whole = detail::poison::active || memory_map{h}.overlapping() == 0;
            ::_exit(whole && now.bytes_in_use <= now.bytes_reserved ? 0 : 1);
        }
        worst = std::max(worst, clock::now() - before);
        int status = 0;
        ASSERT_EQ(::waitpid(child, &status, 0), child);
        ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
    }
    stop = true;
    for (std::thread& t : all)
        t.join();
    EXPECT_EQ(h.usage().bytes_in_use, 0u);
    EXPECT_LT(worst, std::chrono::seconds{30}) << "it waits for its turn, not for ever";
}

#endif

} // namespace
