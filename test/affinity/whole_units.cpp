// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Objects of 8 to 63 KiB, in units of their own, which their thread replaces while others look.

#include <arenite/affinity/affinity_heap.hpp>
#include <arenite/affinity/detail/thread_heap.hpp>
#include <arenite/report/memory_map.hpp>

#include "support/region_list.hpp"
#include "support/thread_slabs.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <mutex>
#include <random>
#include <sstream>
#include <thread>
#include <utility>
#include <vector>

#if defined(__unix__)
#include <sys/wait.h>
#include <unistd.h>
#endif

using namespace arenite;

namespace {

/// Objects in units of their own, which their thread replaces without a lock.
TEST(whole_units_threads, come_and_go_while_others_look_and_trim) {
    affinity_heap& h = affinity_heap::named("watched units");
    std::atomic<bool> stop{false};
    std::atomic<std::size_t> wrong{0};
    struct object {
        unsigned char* p = nullptr;
        std::size_t bytes = 0;
    };
    const auto make = [&](std::size_t bytes, unsigned char mark) {
        auto* const p = static_cast<unsigned char*>(h.allocate(bytes, 16));
        p[0] = p[bytes / 2] = p[bytes - 1] = mark;
        return object{p, bytes};
    };
    std::mutex handing;
    std::vector<object> handed;
    std::vector<std::thread> all;
    for (unsigned t = 0; t < 2; ++t)
        all.emplace_back([&, t] {
            std::mt19937 random{t};
            const auto mark = static_cast<unsigned char>(t + 1);
            const auto end = [&](const object& o, unsigned char its) {
                if (o.p[0] != its || o.p[o.bytes / 2] != its || o.p[o.bytes - 1] != its)
                    ++wrong;
                h.deallocate(o.p, o.bytes, 16);
            };
            std::vector<object> mine(20);
            while (!stop.load(std::memory_order_relaxed)) {
                object& o = mine[random() % mine.size()];
                if (o.p != nullptr)
                    end(o, mark);
                o = make(8'200 + random() % 50'000, mark);
                if (random() % 16 != 0)
                    continue;
                const object given = make(8'200 + random() % 50'000, 9);
                const std::lock_guard lock{handing};
                handed.push_back(given);
                if (handed.size() > 8) { // often the other's
                    end(handed.front(), 9);
                    handed.erase(handed.begin());
                }
            }
            for (const object& o : mine)
                if (o.p != nullptr)
                    end(o, mark);
        });
    for (int i = 0; i < 40; ++i) {
        const memory_map map{h};
        EXPECT_TRUE(support::are_in_order(map.regions()));
        std::ostringstream text;
        h.report(text);
        static_cast<void>(h.trim());
        const usage now = h.usage();
        EXPECT_LE(now.bytes_in_use, now.bytes_reserved);
    }
    stop = true;
    for (std::thread& t : all)
        t.join();
    for (const object& o : handed)
        h.deallocate(o.p, o.bytes, 16);
    EXPECT_EQ(wrong.load(), 0u);
    EXPECT_EQ(h.usage().bytes_in_use, 0u);
    EXPECT_EQ(h.usage().live_allocations, 0u);
}

/// Kept units are handed out while another thread holds the heap's lock, to look at it.
TEST(whole_units_threads, are_replaced_while_others_hold_the_lock) {
    if (!support::threads_have_slabs())
        GTEST_SKIP() << "all calls lock here, or nothing lies in units";
    affinity_heap& h = affinity_heap::named("locked units");
    std::atomic<int> state{0};
    detail::thread_heap* heap = nullptr;
    std::thread other{[&] {
        // The tenth has neighbours in its block, wherever that is cut.
        std::vector<void*> stay(20);
        for (void*& p : stay)
            p = h.allocate(20'000, 16);
        void* p = std::exchange(stay[9], nullptr);
        heap = detail::thread_heap::around(p);
        h.deallocate(p, 20'000, 16); // kept from now on
        state = 1;
        while (state.load() != 2)
            std::this_thread::yield();
        for (int i = 0; i < 100; ++i) {
            p = h.allocate(20'000, 16);
            h.deallocate(p, 20'000, 16);
        }
        state = 3;
        for (void* const each : stay)
            if (each != nullptr)
                h.deallocate(each, 20'000, 16);
    }};
    while (state.load() != 1)
        std::this_thread::yield();
    {
        const std::lock_guard lock{heap->lock()};
        state = 2;
        for (int i = 0; i < 600 && state.load() != 3; ++i) // a minute at most
            std::this_thread::sleep_for(std::chrono::milliseconds{100});
        EXPECT_EQ(state.load(), 3);
    }
    other.join();
}

#if defined(__unix__)

/// A thread is about to hand out kept units, and another one forks.
TEST(whole_units_threads, are_found_anew_in_a_forked_child) {
    if (!support::threads_have_slabs())
        GTEST_SKIP() << "all calls lock here, or nothing lies in units";
    affinity_heap& h = affinity_heap::named("forked units");
    std::atomic<int> state{0};
    detail::thread_heap* heap = nullptr;
    std::size_t units = 0;
    std::thread other{[&] {
        std::vector<void*> stay(20);
        for (void*& p : stay)
            p = h.allocate(20'000, 16);
        heap = detail::thread_heap::around(stay[9]);
        h.deallocate(std::exchange(stay[9], nullptr), 20'000, 16);
        detail::kept_runs& kept = heap->heap().slabs().kept();
        units = kept.units();
        detail::slab* const taken = kept.next();
        kept.forget(*taken);
        state = 1;
        while (state.load() != 2)
            std::this_thread::yield();
        kept.keep(*taken);
        for (void* const each : stay)
            if (each != nullptr)
                h.deallocate(each, 20'000, 16);
    }};
    while (state.load() != 1)
        std::this_thread::yield();
    const pid_t child = ::fork();
    if (child == 0)
        ::_exit(units != 0 && heap->heap().slabs().kept().units() == units ? 0 : 1);
    int status = -1;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
    state = 2;
    other.join();
}

#endif

} // namespace
