// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// A thread is stopped in the middle of a call, and another one forks: at hundreds of its
// instructions, so that no step of a slow call is left out for long. In the child all that is
// shared works: what lived before is as it was, may be freed, and everything is trimmed.
// ARENITE_FORK_STRIDE=N forks at every N-th instruction (2000).

#include "support/stepping.hpp"

#if ARENITE_TEST_CAN_STEP

#include <arenite/affinity/affinity_heap.hpp>
#include <arenite/affinity/shared_heap.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/ordered/ordered_heap.hpp>
#include <arenite/os/page_resource.hpp>
#include <arenite/stl/container_pool.hpp>
#include <arenite/stl/pool_allocator.hpp>
#include <arenite/stl/suballocator.hpp>

#include <gtest/gtest.h>

#include "support/mapped_vector.hpp"
#include "support/operations.hpp"
#include "support/pattern.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <list>
#include <memory>
#include <random>

#include <sys/wait.h>
#include <unistd.h>

using namespace arenite;
using support::mapped_vector;
using support::pattern;
using support::stepping;

namespace {

constexpr unsigned patience = 60; // seconds, after which a child is taken to wait for ever

std::uint64_t wanted_stride() {
    const char* const given = std::getenv("ARENITE_FORK_STRIDE");
    return std::max<std::uint64_t>(given != nullptr ? std::strtoull(given, nullptr, 0) : 2000, 1);
}

/// `work` in a thread of its own, which is stopped all over it; `in_child` is true in each child
/// where all is well.
template <class Work, class Child>
void fork_all_over(const char* test, Work work, Child in_child) {
    if (!stepping::is_possible())
        GTEST_SKIP() << "not under a memory checker";
    if (!stepping::traps())
        GTEST_SKIP() << "this processor, or what imitates it, does not trap at each instruction";
    std::mt19937_64 random{support::test_seed(test)};
    const std::uint64_t stride = wanted_stride();
    std::size_t bad = 0;
    const std::size_t stops =
        stepping::stop_at(random() % stride, stride, work, [&](auto has_forked) {
            const pid_t child = ::fork();
            if (child == 0) {
                ::alarm(patience);
                ::_exit(in_child() ? 0 : 1);
            }
            has_forked();
            int status = -1;
            if (::waitpid(child, &status, 0) != child || status != 0) {
                ++bad;
                ADD_FAILURE() << "a child ended with " << status;
            }
        });
    EXPECT_EQ(bad, 0u) << "of " << stops;
    EXPECT_GT(stops, 0u); // how many more, the machine's load decides
    std::printf("%zu forks\n", stops);
}

struct piece {
    void* p;
    std::size_t bytes;
};

/// Objects of all kinds of size, with what they should hold. What it notes is not malloc's, which
/// the child of a thread that was in it cannot call with each C library.
template <class Heap>
class population {
public:
    explicit population(Heap& heap) : heap_{heap} {}

    void grow(std::size_t small, bool with_large) {
        for (std::size_t i = 0; i < small; ++i)
            add(16 + i * 37 % 500);
        for (const std::size_t bytes : {3'000u, 9'000u, 40'000u})
            add(bytes);
        if (with_large)
            for (const std::size_t bytes : {100'000u, 300'000u})
                add(bytes);
    }
    void add(std::size_t bytes) {
        void* const p = heap_.try_allocate(bytes, 16);
        right_ = right_ && p != nullptr && is_aligned(p, 16);
        if (p == nullptr)
            return;
        pattern{address_of(p)}.write(p, seen(bytes));
        live_.push_back({p, bytes});
    }
    void shrink(std::size_t to) {
        for (; live_.size() > to; live_.pop_back()) {
            const piece& x = live_.back();
            right_ = right_ && pattern{address_of(x.p)}.holds(x.p, seen(x.bytes));
            heap_.deallocate(x.p, x.bytes, 16);
        }
    }
    void shuffle() { std::shuffle(live_.begin(), live_.end(), std::mt19937{1}); }
    [[nodiscard]] mapped_vector<piece>& all() noexcept { return live_; }

    /// Nothing overlaps, and all holds what it should.
    [[nodiscard]] bool is_right() {
        mapped_vector<piece> sorted = live_;
        std::sort(sorted.begin(), sorted.end(),
                  [](const piece& a, const piece& b) { return std::less<>{}(a.p, b.p); });
        const std::byte* end = nullptr;
        for (const piece& x : sorted) {
            const auto* const begin = static_cast<const std::byte*>(x.p);
            right_ = right_ && begin >= end && pattern{address_of(x.p)}.holds(x.p, seen(x.bytes));
            end = begin + x.bytes;
        }
        return right_;
    }

private:
    /// The test is to step through the heap's instructions, not through its own.
    [[nodiscard]] static std::size_t seen(std::size_t bytes) {
        return std::min<std::size_t>(bytes, 8);
    }

    Heap& heap_;
    mapped_vector<piece> live_;
    bool right_ = true;
};

/// The slow things that a thread does with its heap: the first call, slabs, pages, blocks, large
/// objects, frees of what others allocated, and trim.
template <class Heap>
void use(Heap& heap, const mapped_vector<piece>& of_others) {
    population<Heap> mine{heap};
    mine.grow(40, true);
    for (const piece& x : of_others)
        heap.deallocate(x.p, x.bytes, 16);
    mine.shrink(5);
    heap.trim();
    mine.grow(5, false);
    mine.shrink(0);
}

/// In a child: what lived when the other thread began is whole, whoever freed it meanwhile; more is
/// to be had; all of it may go.
template <class Heap>
bool works_in_child(Heap& heap, population<Heap>& before) {
    population<Heap> fresh{heap};
    fresh.grow(600, true);
    const bool right = before.is_right();
    mapped_vector<piece> both = before.all();
    both.insert(both.end(), fresh.all().begin(), fresh.all().end());
    fresh.all().swap(both);
    const bool apart = fresh.is_right();
    before.shrink(0);
    fresh.all() = std::move(both);
    fresh.shuffle();
    fresh.shrink(0);
    heap.trim();
    fresh.grow(100, true);
    fresh.shrink(0);
    return right && apart && fresh.is_right() &&
           heap.usage().bytes_in_use <= heap.usage().bytes_reserved;
}

/// A heap that threads share: one that lives on is used by a thread that is stopped, which also
/// frees some of what this one allocated.
template <class Heap>
void heap_of_threads(const char* test, Heap& heap) {
    population<Heap> before{heap};
    before.grow(1'500, true);
    before.shuffle();
    population<Heap> for_the_other{heap};
    for_the_other.grow(30, false);
    fork_all_over(
        test, [&] { use(heap, for_the_other.all()); },
        [&] { return works_in_child(heap, before); });
    if (testing::Test::IsSkipped()) // the other has not freed what is its own
        for_the_other.shrink(0);
    EXPECT_TRUE(before.is_right());
    before.shrink(0);
    EXPECT_EQ(heap.usage().bytes_in_use, 0u);
    heap.trim();
}

TEST(fork_points_threads, an_affinity_works_in_the_child) {
    heap_of_threads("fork_points.affinity", affinity_heap::named("fork points"));
}

TEST(fork_points_threads, a_shared_heap_works_in_the_child) {
    shared_heap heap{};
    heap_of_threads("fork_points.shared_heap", heap);
}

/// Objects in units of their own come and go without a lock.
TEST(fork_points_threads, kept_units_are_found_anew_in_the_child) {
    affinity_heap& heap = affinity_heap::named("fork points of units");
    const auto bytes = [](unsigned n) { return 9'000 + std::size_t{n} * 6'000 % 48'000; };
    population<affinity_heap> before{heap};
    before.grow(50, false);
    fork_all_over(
        "fork_points.units",
        [&] {
            population<affinity_heap> mine{heap};
            for (unsigned i = 0; i < 8; ++i)
                mine.add(bytes(i));
            for (unsigned round = 0; round < 40; ++round) {
                mine.shrink(5);
                for (unsigned i = 0; i < 3; ++i)
                    mine.add(bytes(round * 5 + i * 3));
            }
            mine.shrink(0);
        },
        [&] {
            population<affinity_heap> fresh{heap};
            bool right = true;
            for (int round = 0; round < 3; ++round) {
                for (unsigned i = 0; i < 150; ++i)
                    fresh.add(bytes(i * 3 + 1));
                right = right && fresh.is_right() && before.is_right();
                fresh.shuffle();
                fresh.shrink(round * 20u);
            }
            fresh.shrink(0);
            heap.trim();
            return right && works_in_child(heap, before);
        });
    before.shrink(0);
    EXPECT_EQ(heap.usage().bytes_in_use, 0u);
}

/// The heap of the stopped thread is not there to be used; one of the thread that forks is, and new
/// ones are.
TEST(fork_points_threads, other_ordered_heaps_work_in_the_child) {
    ordered_heap heap{};
    population<ordered_heap> before{heap};
    before.grow(1'500, true);
    fork_all_over(
        "fork_points.ordered_heap",
        [] {
            ordered_heap own{};
            use(own, {});
        },
        [&] {
            ordered_heap fresh{};
            population<ordered_heap> nothing{fresh};
            return works_in_child(heap, before) && works_in_child(fresh, nothing);
        });
    before.shrink(0);
}

TEST(fork_points_threads, pages_are_to_be_had_in_the_child) {
    page_resource& pages = page_source();
    const auto some = [&pages](std::size_t count) {
        mapped_vector<piece> all;
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t bytes = i % 5 == 0 ? 2_MiB : 64_KiB << i % 4;
            void* const p = pages.try_allocate(bytes, i % 3 == 0 ? 256_KiB : 4_KiB);
            if (p == nullptr)
                return false;
            pattern{i}.write(p, 64);
            all.push_back({p, bytes});
        }
        bool right = true;
        for (std::size_t i = 0; i < count; ++i) {
            right = right && pattern{i}.holds(all[i].p, 64);
            pages.deallocate(all[i].p, all[i].bytes, i % 3 == 0 ? 256_KiB : 4_KiB);
        }
        pages.trim();
        return right;
    };
    void* const held = pages.allocate(256_KiB, 4_KiB);
    pattern{1}.write(held, 256_KiB);
    fork_all_over(
        "fork_points.page_source", [&] { static_cast<void>(some(6)); },
        [&] {
            const bool right = pattern{1}.holds(held, 256_KiB) && some(30);
            pages.deallocate(held, 256_KiB, 4_KiB);
            pages.trim();
            return right && some(10);
        });
    pages.deallocate(held, 256_KiB, 4_KiB);
}

/// Pools that all containers of a type share.
TEST(fork_points_threads, pools_of_containers_work_in_the_child) {
    using pooled_list = std::list<std::uint64_t, pool_allocator<std::uint64_t>>;
    using rows_list = std::list<std::uint64_t, suballocator<std::uint64_t>>;
    const auto fill = []<class List>(List& l, std::uint64_t count) {
        for (std::uint64_t i = 0; i < count; ++i)
            l.push_back(i);
        bool right = l.size() == count;
        std::uint64_t n = 0;
        for (const std::uint64_t x : l)
            right = right && x == n++;
        return right;
    };
    pooled_list pooled;
    rows_list in_rows;
    ASSERT_TRUE(fill(pooled, 1'000) && fill(in_rows, 1'000));
    fork_all_over(
        "fork_points.pools",
        [&] {
            for (int round = 0; round < 2; ++round) {
                pooled_list a;
                rows_list b;
                static_cast<void>(fill(a, 100) && fill(b, 100));
                a.clear();
                b.clear();
                suballocator<std::uint64_t>{}.trim();
            }
        },
        [&] {
            pooled_list a;
            rows_list b;
            const bool right = fill(a, 2'000) && fill(b, 2'000);
            pooled.splice(pooled.end(), a);
            in_rows.splice(in_rows.end(), b);
            const bool both = pooled.size() == 3'000 && in_rows.size() == 3'000;
            pooled.clear();
            in_rows.clear();
            suballocator<std::uint64_t>{}.trim();
            return right && both && fill(a, 500) && fill(b, 500);
        });
}

} // namespace

#endif
