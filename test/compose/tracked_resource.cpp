// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/affinity/affinity.hpp>
#include <arenite/affinity/affinity_heap.hpp>
#include <arenite/check/passthrough.hpp>
#include <arenite/compose/tracked_resource.hpp>
#include <arenite/core/concepts.hpp>
#include <arenite/core/system_resource.hpp>
#include <arenite/linear/linear_resource.hpp>
#include <arenite/ordered/ordered_heap.hpp>
#include <arenite/os/page_resource.hpp>
#include <arenite/report/usage_node.hpp>

#include <gtest/gtest.h>

#include "support/counting_resource.hpp"
#include "support/piece.hpp"

#include <cstddef>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

using namespace arenite;
using support::counting_resource;
using support::give;
using support::piece;
using support::take;

namespace {

using tracked_heap = tracked_resource<ordered_heap>;
using tracked_linear = tracked_resource<linear_resource>;

// It keeps what the inner one can, and only that; measured it is always.
static_assert(Allocating<tracked_heap> && Owning<tracked_heap> && Sizing<tracked_heap> &&
              UnsizedFreeing<tracked_heap> && Resizing<tracked_heap> && Trimmable<tracked_heap> &&
              Measurable<tracked_heap> && Mappable<tracked_heap> && Resettable<tracked_heap> &&
              !Purging<tracked_heap> && !Concurrent<tracked_heap>);
static_assert(Resettable<tracked_linear> && Resizing<tracked_linear> && !Sizing<tracked_linear> &&
              !UnsizedFreeing<tracked_linear> && !Markable<tracked_linear>);
static_assert(Purging<tracked_resource<page_resource&>> &&
              Releasing<tracked_resource<page_resource&>> &&
              Concurrent<tracked_resource<page_resource&>>);
static_assert(Measurable<tracked_resource<malloc_resource>> &&
              !Mappable<tracked_resource<malloc_resource>>);
static_assert(!Mappable<tracked_resource<ordered_heap&>>, "what others hold is not listed");

static_assert(sizeof(tracked_resource<ordered_heap&>) <= 16 + 48 + sizeof(usage_node));

TEST(tracked_resource, counts_and_knows_its_name_and_high_water) {
    tracked_resource<malloc_resource> tr{"sounds"};
    EXPECT_EQ(tr.name(), "sounds");
    const piece a = take(tr, 100), b = take(tr, 50);
    give(tr, a);
    const piece c = take(tr, 70);
    EXPECT_EQ(tr.in_use(), 120u);
    EXPECT_EQ(tr.high_water(), 150u);
    EXPECT_EQ(tr.allocations(), 3u);
    EXPECT_EQ(tr.deallocations(), 1u);
    EXPECT_EQ(tr.failures(), 0u);
    EXPECT_EQ(tr.usage(), (usage{.bytes_in_use = 120,
                                 .bytes_reserved = 120,
                                 .high_water_bytes = 150,
                                 .live_allocations = 2}));
    give(tr, b);
    give(tr, c);
    EXPECT_EQ(tr.usage().live_allocations, 0u);
}

TEST(tracked_resource, counts_what_failed_apart) {
    counting_resource up;
    tracked_resource tr{"upstream", up};
    static_assert(std::is_same_v<decltype(tr), tracked_resource<counting_resource&>>);
    up.fail_once_after(0);
    EXPECT_EQ(tr.try_allocate(10), nullptr);
    EXPECT_EQ(tr.failures(), 1u);
    EXPECT_EQ(tr.allocations(), 0u);
    EXPECT_EQ(tr.high_water(), 0u);
    const piece a = take(tr, 10);
    give(tr, a);
    EXPECT_EQ(tr.allocations(), 1u);
}

TEST(tracked_resource, stands_in_the_tree_from_its_construction_to_its_end) {
    usage_node all{"game"};
    {
        tracked_heap scene{"scene", &all};
        tracked_resource<linear_resource> frame{"frame", &scene.node(), 1000u};
        EXPECT_EQ(all.first_child(), &scene.node());
        EXPECT_EQ(scene.node().first_child(), &frame.node());
        const piece a = take(scene, 48);
        EXPECT_EQ(all.usage().bytes_in_use, 48u);
        EXPECT_EQ(all.usage().live_allocations, 1u);
        std::ostringstream text;
        all.write_text(text, {.exact = true});
        EXPECT_NE(text.str().find("scene"), std::string::npos);
        give(scene, a);
    }
    EXPECT_EQ(all.first_child(), nullptr);
}

TEST(tracked_resource, outlives_the_node_above_it) {
    auto all = std::make_unique<usage_node>("game");
    tracked_heap scene{"scene", all.get()};
    all.reset();
    EXPECT_EQ(scene.node().parent(), nullptr);
}

TEST(tracked_resource, of_its_own_tells_also_what_the_heap_holds) {
    if (passthrough())
        GTEST_SKIP() << "malloc's allocations are not rounded up here";
    tracked_heap tr{"heap"};
    const piece a = take(tr, 50);
    EXPECT_EQ(tr.usage().bytes_in_use, 64u) << "the slot";
    EXPECT_EQ(tr.in_use(), 50u);
    EXPECT_EQ(tr.usage().live_allocations, 1u);
    EXPECT_GE(tr.usage().high_water_bytes, 64u);
    EXPECT_EQ(tr.usage().bytes_reserved, tr.inner().usage().bytes_reserved);
    give(tr, a);
}

TEST(tracked_resource, of_a_shared_heap_tells_its_part) {
    ordered_heap heap;
    tracked_resource a{"a", heap}, b{"b", heap};
    const piece x = take(a, 50), y = take(b, 500);
    EXPECT_EQ(a.usage().bytes_in_use, 50u);
    EXPECT_EQ(b.usage().bytes_reserved, 500u);
    EXPECT_EQ(b.usage().live_allocations, 1u);
    EXPECT_EQ(b.usage().largest_hole_bytes, 0u);
    give(a, x);
    give(b, y);
}

TEST(tracked_resource, over_a_heap_that_keeps_sizes_counts_alike_with_a_size_and_without) {
    tracked_heap tr{"heap", ordered_options{.sizes = sizes::kept}};
    const piece a = take(tr, 50), b = take(tr, 50);
    EXPECT_EQ(tr.in_use(), 2 * tr.size_of(a.p));
    tr.deallocate(a.p);
    EXPECT_EQ(tr.in_use(), tr.size_of(b.p));
    EXPECT_EQ(tr.high_water(), 2 * tr.size_of(b.p));
    give(tr, b);
    EXPECT_EQ(tr.in_use(), 0u);
    EXPECT_EQ(tr.deallocations(), 2u);
}

TEST(tracked_resource, counts_what_was_resized_and_reset) {
    if (passthrough())
        GTEST_SKIP() << "nothing is resized in place there";
    tracked_linear tr{"frame", 1000u};
    void* const p = tr.allocate(100);
    EXPECT_TRUE(tr.try_resize(p, 100, 300));
    EXPECT_EQ(tr.in_use(), 300u);
    EXPECT_TRUE(tr.try_resize(p, 300, 200));
    EXPECT_FALSE(tr.try_resize(p, 200, 2000));
    EXPECT_EQ(tr.in_use(), 200u);
    EXPECT_EQ(tr.high_water(), 300u);
    EXPECT_EQ(tr.allocations(), 1u);
    int other = 0;
    EXPECT_FALSE(tr.try_resize(&other, 4, 8));
    tr.reset();
    EXPECT_EQ(tr.in_use(), 0u);
    EXPECT_EQ(tr.inner().in_use(), 0u);
    EXPECT_EQ(tr.usage().live_allocations, 0u);
    EXPECT_EQ(tr.high_water(), 300u);
}

TEST(tracked_resource, counts_what_is_placed_beside_an_object) {
    affinity_heap& heap = affinity_heap::of<affinities::data>();
    tracked_resource tr{"data", heap};
    void* const parent = tr.allocate(48);
    void* const child = tr.near(parent).allocate(48);
    EXPECT_EQ(tr.allocations(), 2u);
    EXPECT_EQ(tr.in_use(), tr.size_of(parent) + tr.size_of(child));
    tr.deallocate(parent);
    tr.deallocate(child, 48);
    EXPECT_EQ(tr.in_use(), 0u);
}

TEST(tracked_resource, under_a_heap_counts_what_the_heap_asks_for) {
    tracked_resource pages{"pages", page_source()};
    ordered_heap heap{&pages};
    void* const p = heap.allocate(100);
    EXPECT_EQ(pages.in_use(), passthrough() ? 0u : heap.usage().bytes_reserved);
    heap.deallocate(p, 100);
    heap.trim();
    EXPECT_EQ(pages.in_use(), 0u);
}

TEST(tracked_resource_death, freeing_what_another_one_gave_is_reported) {
    if (!checks_enabled)
        GTEST_SKIP() << "checked builds only";
    ordered_heap heap;
    tracked_resource meshes{"meshes", heap}, textures{"textures", heap};
    const piece a = take(meshes, 100);
    EXPECT_DEATH(textures.deallocate(a.p, 100), "more was freed through 'textures' than it gave");
    give(meshes, a);
    tracked_resource<malloc_resource> one{"one"}, other{"other"};
    const piece b = take(one, 100);
    EXPECT_DEATH(other.deallocate(b.p, 100), "more was freed through 'other' than it gave");
    give(one, b);
}

TEST(tracked_resource_threads, count_what_all_of_them_do) {
    tracked_resource<malloc_resource> tr{"all"};
    std::vector<std::thread> threads;
    std::vector<std::vector<void*>> kept(4);
    for (auto& mine : kept)
        threads.emplace_back([&tr, &mine] {
            for (int i = 0; i < 5000; ++i) {
                mine.push_back(tr.allocate(16));
                if (i % 5 != 0) {
                    tr.deallocate(mine.back(), 16);
                    mine.pop_back();
                }
                const usage u = tr.usage();
                EXPECT_LE(u.bytes_in_use, u.high_water_bytes);
            }
        });
    for (std::thread& t : threads)
        t.join();
    EXPECT_EQ(tr.allocations(), 20'000u);
    EXPECT_EQ(tr.usage().live_allocations, 4000u);
    EXPECT_EQ(tr.in_use(), 4000u * 16);
    for (const auto& mine : kept)
        for (void* p : mine)
            tr.deallocate(p, 16);
    EXPECT_EQ(tr.in_use(), 0u);
}

} // namespace
