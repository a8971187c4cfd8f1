// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/affinity/affinity_heap.hpp>
#include <arenite/check/passthrough.hpp>
#include <arenite/compose/synchronized_resource.hpp>
#include <arenite/core/concepts.hpp>
#include <arenite/core/error.hpp>
#include <arenite/core/system_resource.hpp>
#include <arenite/linear/linear_resource.hpp>
#include <arenite/ordered/ordered_heap.hpp>
#include <arenite/os/page_resource.hpp>

#include <gtest/gtest.h>

#include "support/counting_resource.hpp"
#include "support/piece.hpp"
#include "support/region_list.hpp"

#include <atomic>
#include <cstddef>
#include <cstring>
#include <list>
#include <memory_resource>
#include <random>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

using namespace arenite;
using support::counting_resource;
using support::piece;

namespace {

using linear = synchronized_resource<linear_resource>;
using heap = synchronized_resource<ordered_heap>;

// It keeps what the inner one can, and only that.
static_assert(Allocating<linear> && Owning<linear> && Resettable<linear> && Trimmable<linear> &&
              Measurable<linear> && Mappable<linear> && Resizing<linear> && Concurrent<linear> &&
              !Sizing<linear>);
static_assert(!Markable<linear>, "one thread would free what another just allocated");
static_assert(Allocating<heap> && Owning<heap> == Owning<ordered_heap> &&
              Sizing<heap> == Sizing<ordered_heap> && Trimmable<heap> && Measurable<heap>);
static_assert(Allocating<synchronized_resource<malloc_resource>> &&
              !Owning<synchronized_resource<malloc_resource>>);

TEST(synchronized_resource, makes_the_inner_resource_of_its_arguments) {
    counting_resource up;
    linear s{1000u, &up};
    void* p = s.allocate(100);
    EXPECT_LE(up.calls(), 1u);
    EXPECT_TRUE(s.owns(p));
    EXPECT_EQ(s.usage().bytes_in_use, 100u);
    EXPECT_EQ(s.try_allocate(1000), nullptr);
    s.deallocate(p, 100);
    s.reset();
    s.trim();
    EXPECT_EQ(up.live(), 0u);
}

TEST(synchronized_resource, goes_around_a_resource_that_is_there) {
    ordered_heap own{ordered_options{.sizes = sizes::kept}};
    synchronized_resource s{own};
    static_assert(std::is_same_v<decltype(s), synchronized_resource<ordered_heap&>>);
    static_assert(Concurrent<decltype(s)> && Sizing<decltype(s)> && Trimmable<decltype(s)>);
    void* const p = s.allocate(100);
    EXPECT_TRUE(own.owns(p));
    EXPECT_EQ(own.usage().bytes_in_use, s.usage().bytes_in_use);
    s.with_lock([&](ordered_heap& h) { EXPECT_EQ(&h, &own); });
    s.deallocate(p);
    EXPECT_EQ(own.usage().bytes_in_use, 0u);
}

TEST(synchronized_resource, of_a_heap_that_keeps_sizes_frees_without_them) {
    heap s{ordered_options{.sizes = sizes::kept}};
    void* p = s.allocate(48);
    EXPECT_GE(s.size_of(p), 48u);
    s.deallocate(p);
    EXPECT_EQ(s.usage().bytes_in_use, 0u);
}

TEST(synchronized_resource, resizes_in_place_and_lists_its_memory) {
    linear s{1000u};
    void* p = s.allocate(100);
    if (s.try_resize(p, 100, 200)) {
        EXPECT_EQ(s.usage().bytes_in_use, 200u);
    } else {
        EXPECT_TRUE(passthrough());
    }
    EXPECT_GE(support::region_list{s}.bytes(region_state::used), 100u);
}

TEST(synchronized_resource, places_beside_an_object_and_gives_pages_back_where_the_inner_one_does) {
    affinity_heap& inner = affinity_heap::named("around an affinity");
    synchronized_resource s{inner};
    static_assert(Placing<decltype(s)> && !Placing<linear>);
    void* const parent = s.allocate(48);
    void* const child = s.near(parent).allocate(48);
    EXPECT_EQ(affinity_heap::heap_of(child), &inner);
    EXPECT_EQ(s.near(parent).try_allocate(~std::size_t{0}), nullptr);
    s.deallocate(child, 48);
    s.deallocate(parent, 48);

    static_assert(Purging<page_resource> && Releasing<synchronized_resource<page_resource>>);
}

TEST(synchronized_resource, gives_the_inner_resource_for_several_calls) {
    linear s{1000u};
    const std::size_t in_use = s.with_lock([](linear_resource& inner) {
        const auto m = inner.mark();
        static_cast<void>(inner.allocate(100));
        const std::size_t before = inner.in_use();
        inner.rewind(m);
        return before;
    });
    EXPECT_EQ(in_use, 100u);
    EXPECT_EQ(s.usage().bytes_in_use, 0u);
}

#if ARENITE_EXCEPTIONS
TEST(synchronized_resource, a_failure_names_the_resource_that_was_asked_and_leaves_it_unlocked) {
    linear s{100u};
    try {
        static_cast<void>(s.allocate(101));
        FAIL() << "it did not throw";
    } catch (const out_of_memory& error) {
        EXPECT_EQ(error.source(), &s);
    }
    EXPECT_NE(s.try_allocate(100), nullptr);
}
#endif

// ---- threads ------------------------------------------------------------------------------------

constexpr int thread_count = 4;

template <class Function>
void run_in_threads(Function function) {
    std::vector<std::thread> threads;
    for (int i = 0; i < thread_count; ++i)
        threads.emplace_back(function, i);
    for (auto& t : threads)
        t.join();
}

TEST(synchronized_resource_threads, hand_out_memory_that_does_not_overlap) {
    heap s{};
    std::atomic<int> wrong{0};
    run_in_threads([&](int id) {
        std::mt19937 random(static_cast<unsigned>(id));
        std::vector<piece> live;
        for (int i = 0; i < 5000; ++i) {
            if (live.size() < 50 || random() % 2 == 0) {
                const std::size_t bytes = 1 + random() % 300;
                void* const p = s.allocate(bytes);
                std::memset(p, id + 1, bytes);
                live.push_back({p, bytes});
            } else {
                std::swap(live[random() % live.size()], live.back());
                const piece last = live.back();
                live.pop_back();
                for (std::size_t k = 0; k < last.bytes; ++k)
                    if (static_cast<const unsigned char*>(last.p)[k] != id + 1)
                        ++wrong;
                s.deallocate(last.p, last.bytes);
            }
            if (i % 1000 == 0) {
                s.trim();
                if (s.usage().bytes_in_use == 0)
                    ++wrong;
            }
        }
        for (const piece& each : live)
            s.deallocate(each.p, each.bytes);
    });
    EXPECT_EQ(wrong.load(), 0);
    EXPECT_EQ(s.usage().bytes_in_use, 0u);
}

TEST(synchronized_resource_threads, free_what_another_thread_allocated) {
    heap s{};
    std::vector<std::vector<void*>> blocks(thread_count);
    run_in_threads([&](int id) {
        for (int i = 0; i < 1000; ++i)
            blocks[static_cast<std::size_t>(id)].push_back(s.allocate(48));
    });
    run_in_threads([&](int id) {
        for (void* p : blocks[static_cast<std::size_t>((id + 1) % thread_count)])
            s.deallocate(p, 48);
    });
    EXPECT_EQ(s.usage().bytes_in_use, 0u);
}

TEST(synchronized_resource_threads, share_a_linear_resource_to_the_last_byte) {
    linear s{32'000u};
    std::atomic<int> got{0};
    run_in_threads([&](int) {
        while (s.try_allocate(8, 8) != nullptr)
            ++got;
    });
    EXPECT_EQ(got.load(), 4000);
}

TEST(synchronized_resource_threads, containers_share_it) {
    synchronized_resource<malloc_resource> s{};
    run_in_threads([&](int id) {
        std::pmr::list<int> l{&s};
        for (int i = 0; i < 1000; ++i)
            l.push_back(id);
        EXPECT_EQ(l.size(), 1000u);
    });
}

} // namespace
