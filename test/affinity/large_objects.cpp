// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Large objects of an affinity, which its threads share.
#include <arenite/affinity/affinity_heap.hpp>
#include <arenite/check/passthrough.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/core/region.hpp>
#include <arenite/os/detail/platform.hpp>

#include "support/thread_slabs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

using namespace arenite;

TEST(affinity_large_threads, any_thread_allocates_fills_and_frees_them) {
    affinity_heap& heap = affinity_heap::named("large of many threads");
    struct object {
        std::byte* p;
        std::size_t bytes;
    };
    std::mutex mutex;
    std::vector<object> handed_over;
    const auto work = [&](unsigned seed) {
        std::mt19937 engine{seed};
        for (int i = 0; i < 400; ++i) {
            const std::size_t bytes = 70'000 + engine() % 200'000;
            auto* const p = static_cast<std::byte*>(heap.allocate(bytes));
            std::memset(p, static_cast<int>(bytes % 251), bytes);
            object other;
            {
                const std::lock_guard lock{mutex};
                handed_over.push_back({p, bytes});
                if (handed_over.size() <= 40)
                    continue;
                std::swap(handed_over[engine() % handed_over.size()], handed_over.back());
                other = handed_over.back();
                handed_over.pop_back();
            }
            const auto expected = static_cast<std::byte>(other.bytes % 251);
            EXPECT_TRUE(std::all_of(other.p, other.p + other.bytes,
                                    [&](std::byte b) { return b == expected; }));
            heap.deallocate(other.p, other.bytes);
        }
    };
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < 3; ++t)
        threads.emplace_back(work, 77 + t);
    for (std::thread& t : threads)
        t.join();
    for (const object& o : handed_over)
        heap.deallocate(o.p, o.bytes);
    EXPECT_EQ(heap.usage().bytes_in_use, 0u);
}

TEST(affinity_large, count_as_one_heap_with_the_small_ones_of_their_thread) {
    if (!support::threads_have_slabs())
        GTEST_SKIP() << "threads have no heaps of their own";
    static int runs = 0; // in one that large objects came to and went from they lie side by side
    affinity_heap& heap = affinity_heap::named("large beside small " + std::to_string(++runs));
    constexpr std::size_t bytes = 100'000;
    const auto are_beside = [&] {
        auto* const a = static_cast<std::byte*>(heap.allocate(bytes));
        auto* const b = static_cast<std::byte*>(heap.allocate(bytes));
        const bool beside = b > a && b - a < 100 * 1024;
        heap.deallocate(b, bytes);
        heap.deallocate(a, bytes);
        return beside;
    };
    EXPECT_FALSE(are_beside()) << "an affinity that holds little has spans for each";
    std::vector<void*> small(4_MiB / 256);
    for (void*& p : small)
        p = heap.allocate(256);
    EXPECT_TRUE(are_beside());
    for (void* p : small)
        heap.deallocate(p, 256);
}

TEST(affinity_large, goes_back_from_a_program_that_idles_and_looks) {
    if (passthrough())
        GTEST_SKIP() << "malloc keeps what it likes";
    affinity_heap& heap = affinity_heap::named("large of one that idles");
    constexpr std::size_t bytes = 400_KiB; // 24 MB of them; 20 are freed, and stay at first
    std::vector<void*> freed, kept;
    for (int i = 0; i < 60; ++i) {
        void* const p = heap.allocate(bytes, 16);
        std::memset(p, 0x5a, bytes);
        (i % 6 == 0 ? kept : freed).push_back(p);
    }
    for (void* const p : freed)
        heap.deallocate(p, bytes, 16);
    const auto resident = [&] {
        std::size_t sum = 0;
        for (void* const p : freed) { // the pages that are in it as a whole, however large
            std::byte* const from = static_cast<std::byte*>(p) + padding_for(p, 64_KiB);
            sum += detail::os::platform::resident_bytes(from, 5 * 64_KiB);
        }
        return sum;
    };
    for (int i = 0; i < 3000 && resident() > 4_MiB; ++i) {
        affinity_heap::give_back_due();
        std::this_thread::sleep_for(std::chrono::milliseconds{10});
    }
    EXPECT_LE(resident(), 4_MiB);
    for (void* const p : kept) {
        EXPECT_EQ(static_cast<unsigned char*>(p)[bytes - 1], 0x5a) << "what lives stays";
        heap.deallocate(p, bytes, 16);
    }
}

TEST(affinity_large_threads, a_loop_that_gives_back_waits_for_no_list_of_them) {
    if (passthrough())
        GTEST_SKIP() << "malloc has the objects";
    struct slow final : region_sink {
        void add(const region&) override {
            is_in = true;
            for (int i = 0; i < 3000 && !may_end; ++i)
                std::this_thread::sleep_for(std::chrono::milliseconds{10});
            was_waited_for = !may_end;
        }
        std::atomic<bool> is_in{false}, may_end{false}, was_waited_for{false};
    };
    affinity_heap& heap = affinity_heap::named("large, listed");
    void* const p = heap.allocate(400_KiB, 16);
    slow sink;
    std::thread lists{[&] { heap.list_regions(sink); }};
    while (!sink.is_in)
        std::this_thread::yield();
    for (int i = 0; i < 120; ++i) { // it looks twice a second
        affinity_heap::give_back_due();
        std::this_thread::sleep_for(std::chrono::milliseconds{10});
    }
    sink.may_end = true;
    lists.join();
    EXPECT_FALSE(sink.was_waited_for);
    heap.deallocate(p, 400_KiB, 16);
}
