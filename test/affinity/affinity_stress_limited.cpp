// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Threads in a process whose addresses are limited: for a second or ARENITE_STRESS_MINUTES
// (`./dev stress MINUTES`) they allocate until they are refused, free most of it, in part each
// other's, and go on. Nothing is lost: as much is to be had at the end as at the beginning, but for
// gaps of addresses between ranges, each of less than 16 MiB.

#include "support/limits.hpp"

#if LIMITS_CAN_BE_TESTED

#include <arenite/affinity/affinity_heap.hpp>
#include <arenite/affinity/shared_heap.hpp>
#include <arenite/check/passthrough.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/ordered/ordered_heap.hpp>
#include <arenite/os/page_resource.hpp>

#include <gtest/gtest.h>

#include "support/mappings.hpp"
#include "support/operations.hpp"
#include "support/pattern.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace arenite;
using support::pattern;

namespace {

using clock_type = std::chrono::steady_clock;

/// The begin of each object: the test itself can allocate nothing.
struct piece {
    piece* next;
    std::size_t bytes;
};

[[noreturn]] void fail(const char* what) {
    std::fprintf(stderr, "%s\n", what);
    ::_exit(1);
}

[[nodiscard]] piece* pop(piece*& list) {
    piece* const x = list;
    list = x->next;
    return x;
}
void push(piece*& list, piece* x) {
    x->next = list;
    list = x;
}

template <class Heap>
void give(Heap& heap, piece* x) {
    const std::size_t bytes = x->bytes;
    if (!pattern{address_of(x)}.holds(x + 1, bytes - sizeof(piece)))
        fail("an object was overwritten");
    heap.deallocate(x, bytes, 16);
}
template <class Heap>
void give_all(Heap& heap, piece*& list) {
    while (list != nullptr)
        give(heap, pop(list));
}

/// Objects until one is refused, a large one now and then. Returns their bytes.
template <class Heap>
std::size_t fill(Heap& heap, std::mt19937_64& random, piece*& to) {
    std::size_t sum = 0;
    for (;;) {
        const std::size_t bytes =
            random() % 50 != 0 ? 16 + random() % 3'000 : 10'000 + random() % 400'000;
        void* const p = heap.try_allocate(bytes, 16);
        if (p == nullptr)
            return sum;
        auto* const x = static_cast<piece*>(p);
        x->bytes = bytes;
        pattern{address_of(x)}.write(x + 1, bytes - sizeof(piece));
        push(to, x);
        sum += bytes;
    }
}

/// Objects that one thread leaves to the next that comes by.
struct exchange {
    std::mutex mutex;
    piece* pieces = nullptr;
};

/// Fills the heap, hands a part over, frees most of the rest, and again.
template <class Heap>
void work(Heap& heap, std::uint64_t seed, exchange& others, const std::atomic<bool>& stop) {
    std::mt19937_64 random{seed};
    piece* mine = nullptr;
    while (!stop.load()) {
        fill(heap, random, mine);
        piece* kept = nullptr;
        piece* handed = nullptr;
        while (mine != nullptr) {
            piece* const x = pop(mine);
            const auto choice = random() % 30;
            if (choice < 3)
                push(kept, x);
            else if (choice < 10)
                push(handed, x);
            else
                give(heap, x);
        }
        mine = kept;
        {
            const std::lock_guard lock{others.mutex};
            std::swap(handed, others.pieces);
        }
        give_all(heap, handed);
        if (random() % 4 == 0)
            heap.trim();
    }
    give_all(heap, mine);
}

/// Bytes in objects of one thread, when all was refused that it asks for.
template <class Heap>
std::size_t capacity(Heap& heap) {
    std::mt19937_64 random{1};
    piece* all = nullptr;
    const std::size_t bytes = fill(heap, random, all);
    give_all(heap, all);
    heap.trim();
    page_source().trim();
    return bytes;
}

/// In a process of its own: its limit stays.
template <class Heap>
void hold_out(Heap& heap, std::size_t threads, clock_type::duration time, std::uint64_t seed) {
    rlimit limit{};
    ::getrlimit(RLIMIT_AS, &limit);
    static_cast<void>(heap.try_allocate(1, 1));
    limit.rlim_cur = 400'000'000;
    if (::setrlimit(RLIMIT_AS, &limit) != 0)
        ::_exit(0);
    exchange others;
    std::atomic<bool> stop{false};
    std::atomic<std::size_t> before{0};
    std::vector<std::thread> all; // whose stacks have addresses before the heap has them all
    for (std::size_t i = 0; i < threads; ++i)
        all.emplace_back([&, i] {
            before.wait(0);
            work(heap, seed + i, others, stop);
        });
    before = capacity(heap);
    if (before == 0)
        ::_exit(0); // what is mapped at the begin is more than the limit
    before.notify_all();
    if (threads == 0) {
        const auto until = clock_type::now() + time;
        while (clock_type::now() < until)
            static_cast<void>(capacity(heap));
    } else {
        std::this_thread::sleep_for(time);
    }
    stop = true;
    for (std::thread& t : all)
        t.join();
    give_all(heap, others.pieces);
    heap.trim();
    page_source().trim();
    if (heap.usage().bytes_in_use > 1_KiB)
        fail("bytes are in use when nothing lives");
    const std::size_t after = capacity(heap);
    std::printf("%zu bytes before, %zu after\n", before.load(), after);
    std::fflush(stdout);
    ::_exit(after >= before / 4 * 3 ? 0 : 1); // four such gaps
}

clock_type::duration share_of_time() {
    const char* const minutes = std::getenv("ARENITE_STRESS_MINUTES");
    const double seconds = minutes == nullptr ? 1 : 60 * std::strtod(minutes, nullptr);
    return std::chrono::duration_cast<clock_type::duration>(
        std::chrono::duration<double>{seconds / 3});
}

template <class F>
void in_a_child(F f) {
    const pid_t child = ::fork();
    if (child == 0) {
        f();
        ::_exit(2);
    }
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

TEST(affinity_stress_limited_threads, nothing_is_lost_where_addresses_are_few) {
    if (passthrough())
        GTEST_SKIP() << "all goes to malloc";
    if (support::emulated())
        GTEST_SKIP() << "limits are not heeded there";
    const std::uint64_t seed = support::test_seed("affinity_stress_limited");
    in_a_child([&] { hold_out(affinity_heap::named("few addresses"), 3, share_of_time(), seed); });
    in_a_child([&] {
        auto* const heap = new shared_heap{};
        hold_out(*heap, 3, share_of_time(), seed);
    });
    in_a_child([&] {
        auto* const heap = new ordered_heap{};
        hold_out(*heap, 0, share_of_time(), seed);
    });
}

} // namespace

#endif
