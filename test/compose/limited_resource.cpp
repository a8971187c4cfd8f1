// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/affinity/affinity.hpp>
#include <arenite/affinity/affinity_heap.hpp>
#include <arenite/check/passthrough.hpp>
#include <arenite/compose/limited_resource.hpp>
#include <arenite/compose/synchronized_resource.hpp>
#include <arenite/core/concepts.hpp>
#include <arenite/core/error.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/core/system_resource.hpp>
#include <arenite/linear/linear_resource.hpp>
#include <arenite/ordered/ordered_heap.hpp>
#include <arenite/os/page_resource.hpp>
#include <arenite/report/usage_node.hpp>

#include <gtest/gtest.h>

#include "support/counting_resource.hpp"
#include "support/piece.hpp"

#include <cstddef>
#include <limits>
#include <optional>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

using namespace arenite;
using support::counting_resource;
using support::give;
using support::piece;
using support::take;

namespace {

using limited_heap = limited_resource<ordered_heap>;
using limited_linear = limited_resource<linear_resource>;
using limited_pages = limited_resource<page_resource&>;

// It keeps what the inner one can, and only that.
static_assert(Allocating<limited_heap> && Owning<limited_heap> && Sizing<limited_heap> &&
              UnsizedFreeing<limited_heap> && Resizing<limited_heap> && Trimmable<limited_heap> &&
              Measurable<limited_heap> && Mappable<limited_heap> && Resettable<limited_heap> &&
              !Purging<limited_heap> && !Concurrent<limited_heap>);
static_assert(Resettable<limited_linear> && Resizing<limited_linear> && !Sizing<limited_linear> &&
              !UnsizedFreeing<limited_linear>);
static_assert(!Markable<limited_linear>, "what rewind frees has no sizes");
static_assert(Purging<limited_pages> && Releasing<limited_pages> && Concurrent<limited_pages>);
static_assert(Concurrent<limited_resource<synchronized_resource<ordered_heap>>> &&
              Concurrent<limited_resource<affinity_heap&>>);
static_assert(!Owning<limited_resource<malloc_resource>> &&
              !Measurable<limited_resource<malloc_resource>>);
static_assert(std::is_constructible_v<limited_heap, std::size_t> &&
              !std::is_constructible_v<limited_heap>);

// The base of the heap is aligned to 64 bytes.
static_assert(sizeof(limited_heap) <= sizeof(ordered_heap) + 192);
static_assert(sizeof(limited_resource<ordered_heap&>) <= 16 + 96);

TEST(limited_resource, holds_the_inner_resource_or_refers_to_it) {
    counting_resource up;
    limited_linear held{100u, 1000u, &up};
    EXPECT_EQ(held.inner().capacity(), 1000u);
    ordered_heap heap;
    limited_resource referring{100, heap};
    static_assert(std::is_same_v<decltype(referring), limited_resource<ordered_heap&>>);
    EXPECT_EQ(&referring.inner(), &heap);
    limited_resource with_options{limited_options{.budget_bytes = 100}, heap};
    static_assert(std::is_same_v<decltype(with_options), limited_resource<ordered_heap&>>);
    limited_resource of_limited{50, referring};
    void* const p = of_limited.allocate(50);
    EXPECT_EQ(of_limited.in_use(), 50u);
    EXPECT_EQ(referring.in_use(), 50u);
    EXPECT_TRUE(heap.owns(p));
    of_limited.deallocate(p, 50);
    EXPECT_EQ(referring.in_use(), 0u);
}

TEST(limited_resource, gives_up_to_the_budget_and_not_a_byte_more) {
    limited_heap lr{1000};
    EXPECT_EQ(lr.budget_bytes(), 1000u);
    EXPECT_EQ(lr.try_allocate(1001), nullptr);
    const piece a = take(lr, 600), b = take(lr, 400);
    EXPECT_EQ(lr.in_use(), 1000u);
    EXPECT_EQ(lr.try_allocate(1), nullptr);
    give(lr, b);
    EXPECT_EQ(lr.try_allocate(401), nullptr);
    const piece c = take(lr, 400);
    give(lr, a);
    give(lr, c);
    EXPECT_EQ(lr.in_use(), 0u);
}

TEST(limited_resource, without_a_budget_gives_nothing) {
    limited_heap lr{limited_options{}};
    EXPECT_EQ(lr.try_allocate(1), nullptr);
    EXPECT_EQ(lr.inner().usage().bytes_reserved, 0u) << "the inner one was not even asked";
}

#if ARENITE_EXCEPTIONS
TEST(limited_resource, a_refusal_names_the_resource_that_was_asked) {
    limited_heap lr{100};
    try {
        static_cast<void>(lr.allocate(101, 8));
        FAIL() << "it did not throw";
    } catch (const out_of_memory& error) {
        EXPECT_EQ(error.source(), &lr);
        EXPECT_EQ(error.bytes(), 101u);
    }
}
#endif

TEST(limited_resource, counts_nothing_that_the_inner_one_refuses) {
    counting_resource up;
    limited_resource<counting_resource&> lr{1000, up};
    const piece a = take(lr, 100);
    up.fail_once_after(0);
    EXPECT_EQ(lr.try_allocate(100), nullptr);
    EXPECT_EQ(lr.in_use(), 100u);
    constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
    for (const std::size_t bytes : {most, most / 2 + 1, most / 2})
        EXPECT_EQ(lr.try_allocate(bytes), nullptr);
    EXPECT_EQ(lr.in_use(), 100u);
    const piece b = take(lr, 900);
    give(lr, b);
    give(lr, a);
}

// ---- the warning --------------------------------------------------------------------------------

struct warnings {
    int count = 0;
    std::size_t in_use = 0;
    std::size_t budget = 0;

    static void note(std::size_t in_use, std::size_t budget, void* user) {
        auto& w = *static_cast<warnings*>(user);
        ++w.count;
        w.in_use = in_use;
        w.budget = budget;
    }
};

TEST(limited_resource, warns_once_when_the_mark_is_passed_and_again_after_a_fall) {
    warnings seen;
    limited_heap lr{limited_options{
        .budget_bytes = 1000, .warn_at = 0.8, .on_warning = &warnings::note, .user = &seen}};
    const piece a = take(lr, 800);
    EXPECT_EQ(seen.count, 0) << "up to the mark is not past it";
    const piece b = take(lr, 50);
    EXPECT_EQ(seen.count, 1);
    EXPECT_EQ(seen.in_use, 850u);
    EXPECT_EQ(seen.budget, 1000u);
    const piece c = take(lr, 150);
    give(lr, c);
    const piece d = take(lr, 100);
    EXPECT_EQ(lr.try_allocate(100), nullptr);
    EXPECT_EQ(seen.count, 1) << "it was above all the while";
    give(lr, b);
    give(lr, d);
    const piece e = take(lr, 1);
    EXPECT_EQ(seen.count, 2);
    EXPECT_EQ(seen.in_use, 801u);
    give(lr, a);
    give(lr, e);
}

TEST(limited_resource, a_share_of_nothing_warns_at_the_first_byte_and_a_whole_one_never) {
    for (const double share : {0.0, 1.0}) {
        warnings seen;
        limited_heap lr{limited_options{
            .budget_bytes = 100, .warn_at = share, .on_warning = &warnings::note, .user = &seen}};
        const piece a = take(lr, 1), b = take(lr, 99);
        EXPECT_EQ(seen.count, share == 0.0 ? 1 : 0);
        EXPECT_EQ(lr.try_allocate(1), nullptr);
        give(lr, a);
        give(lr, b);
    }
}

TEST(limited_resource, a_warning_may_allocate_and_free_and_raise_the_budget) {
    struct program {
        limited_heap* memory = nullptr;
        std::vector<piece> caches;
        piece message{};
        int count = 0;

        static void warned(std::size_t, std::size_t, void* user) {
            auto& p = *static_cast<program*>(user);
            ++p.count;
            p.message = take(*p.memory, 40);
            give(*p.memory, p.caches); // falls below the mark, and
            p.caches.clear();
            give(*p.memory, p.message);
            p.message = take(*p.memory, 700); // passes it again
            EXPECT_TRUE(p.memory->set_budget(2000));
        }
    } game;
    limited_heap lr{limited_options{
        .budget_bytes = 1000, .warn_at = 0.5, .on_warning = &program::warned, .user = &game}};
    game.memory = &lr;
    game.caches = {take(lr, 100), take(lr, 200)};
    const piece last = take(lr, 250);
    EXPECT_EQ(game.count, 1) << "it is not called while it runs";
    EXPECT_EQ(lr.in_use(), 950u);
    EXPECT_EQ(lr.budget_bytes(), 2000u);
    give(lr, game.message);
    give(lr, last);
    EXPECT_EQ(lr.in_use(), 0u);
}

TEST(limited_resource, warns_where_a_smaller_budget_puts_the_mark_below) {
    warnings seen;
    limited_heap lr{limited_options{
        .budget_bytes = 1000, .warn_at = 0.5, .on_warning = &warnings::note, .user = &seen}};
    const piece a = take(lr, 400);
    EXPECT_TRUE(lr.set_budget(800));
    EXPECT_EQ(seen.count, 0) << "up to the mark is not past it";
    EXPECT_TRUE(lr.set_budget(420));
    EXPECT_EQ(seen.count, 1);
    EXPECT_EQ(seen.in_use, 400u);
    EXPECT_EQ(seen.budget, 420u);
    EXPECT_TRUE(lr.set_budget(410));
    EXPECT_EQ(seen.count, 1) << "it was below all the while";
    EXPECT_FALSE(lr.set_budget(399));
    EXPECT_EQ(seen.count, 1);
    give(lr, a);
}

// ---- the reserve --------------------------------------------------------------------------------

TEST(limited_resource, opens_the_reserve_when_something_is_refused) {
    warnings seen;
    limited_heap lr{limited_options{.budget_bytes = 1000,
                                    .warn_at = 0.9,
                                    .on_warning = &warnings::note,
                                    .user = &seen,
                                    .reserve_bytes = 200}};
    EXPECT_EQ(lr.limit_bytes(), 800u);
    EXPECT_EQ(lr.budget_bytes(), 1000u);
    const piece a = take(lr, 720);
    EXPECT_EQ(seen.count, 0);
    const piece b = take(lr, 80);
    EXPECT_EQ(seen.count, 1) << "the share is one of what may be used without the reserve";
    EXPECT_FALSE(lr.reserve_is_open());
    EXPECT_EQ(lr.try_allocate(1001), nullptr) << "more than there could ever be";
    EXPECT_EQ(lr.try_allocate(1, 3), nullptr) << "no alignment";
    EXPECT_FALSE(lr.reserve_is_open());
    EXPECT_EQ(lr.try_allocate(1), nullptr);
    EXPECT_TRUE(lr.reserve_is_open());
    EXPECT_EQ(lr.limit_bytes(), 1000u);
    const piece save = take(lr, 200); // the program saves its work
    EXPECT_EQ(lr.try_allocate(1), nullptr);
    EXPECT_FALSE(lr.restore_reserve());
    EXPECT_TRUE(lr.reserve_is_open());
    give(lr, save);
    EXPECT_TRUE(lr.restore_reserve());
    EXPECT_FALSE(lr.reserve_is_open());
    EXPECT_EQ(lr.try_allocate(1), nullptr);
    EXPECT_TRUE(lr.reserve_is_open()) << "and once more";
    EXPECT_EQ(seen.count, 1);
    give(lr, a);
    give(lr, b);
}

TEST(limited_resource, holds_a_reserve_for_when_the_inner_resource_has_no_more) {
    if (passthrough())
        GTEST_SKIP() << "malloc's memory does not end";
    counting_resource up;
    ordered_heap heap{ordered_options{.policy = return_policy::return_all}, &up};
    limited_resource lr{
        limited_options{.budget_bytes = 10_MiB, .reserve_bytes = 1_MiB, .hold_reserve = true},
        heap};
    const std::size_t held = up.live_bytes();
    EXPECT_GE(held, 1_MiB) << "it is held from the start";
    EXPECT_EQ(lr.in_use(), 0u);
    const piece work = take(lr, 2_MiB);
    up.fail_after(0);
    EXPECT_EQ(lr.try_allocate(2_MiB), nullptr);
    EXPECT_TRUE(lr.reserve_is_open());
    EXPECT_LE(up.live_bytes(), held + 2_MiB + 64_KiB - 1_MiB) << "it was given to who wants it";
    EXPECT_FALSE(lr.restore_reserve()) << "nobody has it";
    EXPECT_TRUE(lr.reserve_is_open());
    up.never_fail();
    EXPECT_TRUE(lr.restore_reserve());
    EXPECT_GE(up.live_bytes(), 3_MiB);
    give(lr, work);
    EXPECT_EQ(lr.in_use(), 0u);
}

TEST(limited_resource, may_be_used_by_the_inner_one_s_warning) {
    using inner_type = limited_resource<malloc_resource>;
    using outer_type = limited_resource<inner_type&>;
    struct program {
        outer_type* outer = nullptr;
        int count = 0;
    } game;
    inner_type inner{limited_options{.budget_bytes = 1000,
                                     .warn_at = 0.5,
                                     .on_warning =
                                         [](std::size_t, std::size_t, void* user) {
                                             auto& g = *static_cast<program*>(user);
                                             if (g.outer == nullptr)
                                                 return;
                                             ++g.count;
                                             EXPECT_EQ(g.outer->try_allocate(900), nullptr);
                                             EXPECT_TRUE(g.outer->set_budget(950));
                                         },
                                     .user = &game}};
    outer_type outer{
        limited_options{.budget_bytes = 900, .reserve_bytes = 300, .hold_reserve = true}, inner};
    game.outer = &outer;
    const piece a = take(outer, 150);
    EXPECT_EQ(outer.try_allocate(600), nullptr);
    EXPECT_TRUE(outer.reserve_is_open());
    const piece b = take(outer, 300);
    EXPECT_EQ(inner.in_use(), 450u);
    EXPECT_EQ(game.count, 0);
    EXPECT_TRUE(outer.restore_reserve()); // the inner one warns
    EXPECT_EQ(game.count, 1);
    give(outer, a);
    give(outer, b);
}

#if ARENITE_EXCEPTIONS
TEST(limited_resource, a_reserve_that_is_not_to_be_had_is_told_at_construction) {
    counting_resource up;
    up.fail_after(0);
    using limited = limited_resource<counting_resource&>;
    const limited_options options{
        .budget_bytes = 1_MiB, .reserve_bytes = 1_KiB, .hold_reserve = true};
    EXPECT_THROW((limited{options, up}), out_of_memory);
}
#endif

// ---- the budget ---------------------------------------------------------------------------------

TEST(limited_resource, a_budget_below_what_is_in_use_is_refused) {
    limited_heap lr{limited_options{.budget_bytes = 1000, .reserve_bytes = 100}};
    const piece a = take(lr, 500);
    EXPECT_FALSE(lr.set_budget(599)) << "with the reserve it is too little";
    EXPECT_FALSE(lr.set_budget(99)) << "less than the reserve";
    EXPECT_EQ(lr.budget_bytes(), 1000u);
    EXPECT_TRUE(lr.set_budget(600));
    EXPECT_EQ(lr.try_allocate(1), nullptr);
    EXPECT_TRUE(lr.reserve_is_open());
    EXPECT_FALSE(lr.set_budget(499));
    EXPECT_TRUE(lr.set_budget(500)) << "the reserve is open: it may be used up";
    EXPECT_FALSE(lr.restore_reserve());
    EXPECT_TRUE(lr.set_budget(std::numeric_limits<std::size_t>::max()));
    EXPECT_TRUE(lr.restore_reserve());
    const piece b = take(lr, 100'000);
    give(lr, a);
    give(lr, b);
}

// ---- what the inner one can ---------------------------------------------------------------------

TEST(limited_resource, over_a_heap_that_keeps_sizes_counts_alike_with_a_size_and_without) {
    limited_heap lr{100'000, ordered_options{.sizes = sizes::kept}};
    const piece a = take(lr, 100), b = take(lr, 100), large = take(lr, 70'000);
    EXPECT_EQ(lr.in_use(), 2 * lr.size_of(a.p) + lr.size_of(large.p));
    lr.deallocate(a.p);
    lr.deallocate(large.p, large.bytes);
    EXPECT_EQ(lr.in_use(), lr.size_of(b.p));
    give(lr, b);
    EXPECT_EQ(lr.in_use(), 0u);
}

TEST(limited_resource, where_rounding_up_passes_the_budget_nothing_is_given) {
    if (passthrough())
        GTEST_SKIP() << "malloc's allocations are not rounded up here";
    limited_heap lr{100, ordered_options{.sizes = sizes::kept}};
    EXPECT_EQ(lr.try_allocate(99), nullptr) << "a slot has 104 bytes";
    EXPECT_EQ(lr.in_use(), 0u);
    EXPECT_EQ(lr.inner().usage().bytes_in_use, 0u);
    const piece a = take(lr, 80);
    give(lr, a);
}

TEST(limited_resource, resizes_in_place_within_the_budget) {
    for (const auto kept : {sizes::given, sizes::kept}) {
        limited_heap lr{200'000, ordered_options{.sizes = kept}};
        void* const p = lr.allocate(100'000, 16);
        const std::size_t before = lr.in_use();
        EXPECT_FALSE(lr.try_resize(p, 100'000, 200'001)) << "passes the budget";
        EXPECT_EQ(lr.in_use(), before);
        EXPECT_FALSE(lr.reserve_is_open());
        std::size_t bytes = 100'000;
        if (lr.try_resize(p, bytes, 70'000))
            bytes = 70'000;
        EXPECT_EQ(bytes, passthrough() ? 100'000u : 70'000u);
        EXPECT_EQ(lr.in_use(), kept == sizes::kept ? lr.size_of(p) : bytes);
        int other = 0;
        EXPECT_FALSE(lr.try_resize(&other, 4, 8)) << "none of its own";
        lr.deallocate(p, bytes, 16);
        EXPECT_EQ(lr.in_use(), 0u);
    }
}

TEST(limited_resource, resizing_past_the_mark_warns) {
    warnings seen;
    limited_linear lr{
        limited_options{.budget_bytes = 100, .on_warning = &warnings::note, .user = &seen}, 1000u};
    void* const p = lr.allocate(10, 1);
    const bool resized = lr.try_resize(p, 10, 95);
    EXPECT_EQ(resized, !passthrough());
    EXPECT_EQ(seen.count, resized ? 1 : 0);
    EXPECT_EQ(lr.in_use(), resized ? 95u : 10u);
    lr.deallocate(p, resized ? 95 : 10, 1);
}

TEST(limited_resource, is_empty_after_a_reset_with_its_reserve_whole) {
    limited_linear lr{
        limited_options{.budget_bytes = 1000, .reserve_bytes = 100, .hold_reserve = true}, 10'000u};
    static_cast<void>(take(lr, 900, 1));
    EXPECT_EQ(lr.try_allocate(1), nullptr);
    EXPECT_TRUE(lr.reserve_is_open());
    lr.reset();
    EXPECT_EQ(lr.in_use(), 0u);
    EXPECT_FALSE(lr.reserve_is_open());
    EXPECT_EQ(lr.inner().in_use(), 100u) << "held again";
    static_cast<void>(take(lr, 900, 1));
}

TEST(limited_resource, tells_no_hole_that_the_budget_does_not_allow) {
    limited_linear lr{100u, 1000u};
    const piece a = take(lr, 40, 1);
    EXPECT_EQ(lr.usage().bytes_in_use, 40u);
    EXPECT_EQ(lr.usage().largest_hole_bytes, passthrough() ? 0u : 60u);
    give(lr, a);
}

TEST(limited_resource, tells_what_was_allocated_here_of_a_resource_that_serves_others_too) {
    ordered_heap heap;
    limited_resource one{1_MiB, heap};
    limited_resource other{1_MiB, heap};
    const piece a = take(one, 1000), b = take(heap, 5000);
    EXPECT_EQ(one.usage().bytes_in_use, 1000u);
    EXPECT_EQ(other.usage().bytes_in_use, 0u);
    give(one, a);
    give(heap, b);
}

TEST(limited_resource, shows_no_hole_in_the_tree_that_the_budget_does_not_allow) {
    limited_linear lr{100u, 1000u};
    const usage_node node{"budget", lr};
    piece a = take(lr, 40, 1);
    const auto text = [&] {
        std::ostringstream out;
        node.write_json(out);
        return out.str();
    };
    if (!passthrough()) {
        EXPECT_NE(text().find("\"largest_hole_bytes\": 60,"), std::string::npos) << text();
        EXPECT_EQ(node.fragmentation(), 0.0);
    }
    const piece b = take(lr, 60, 1);
    EXPECT_NE(text().find("\"largest_hole_bytes\": null,"), std::string::npos) << text();
    EXPECT_EQ(node.fragmentation(), std::nullopt);
    give(lr, b);
    give(lr, a);
}

TEST(limited_resource, places_beside_an_object_within_the_budget) {
    affinity_heap& heap = affinity_heap::of<affinities::data>();
    limited_resource lr{10'000, heap};
    static_assert(Placing<decltype(lr)> && !Placing<limited_heap>);
    void* const parent = lr.allocate(48);
    void* const child = lr.near(parent).allocate(48);
    EXPECT_EQ(lr.in_use(), lr.size_of(parent) + lr.size_of(child));
    EXPECT_EQ(lr.near(parent).try_allocate(10'000), nullptr);
    lr.deallocate(parent, 48);
    lr.deallocate(child);
    EXPECT_EQ(lr.in_use(), 0u);
}

TEST(limited_resource, under_a_heap_limits_all_of_it) {
    limited_pages pages{1_MiB, page_source()};
    ordered_heap heap{&pages};
    std::vector<void*> all;
    for (void* p = nullptr; (p = heap.try_allocate(1000)) != nullptr;) {
        all.push_back(p);
        if (all.size() > 10'000)
            break;
    }
    if (!passthrough()) {
        EXPECT_GT(all.size(), 500u);
        EXPECT_LT(all.size(), 1_MiB / 1000);
        EXPECT_LE(heap.usage().bytes_reserved, 1_MiB);
    }
    for (void* p : all)
        heap.deallocate(p, 1000);
    heap.trim();
    EXPECT_EQ(pages.in_use(), 0u);
}

} // namespace
