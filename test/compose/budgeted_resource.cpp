// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/compose/budgeted_resource.hpp>

#include <arenite/check/passthrough.hpp>
#include <arenite/compose/limited_resource.hpp>
#include <arenite/compose/synchronized_resource.hpp>
#include <arenite/core/error.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/freelist/tlsf_resource.hpp>
#include <arenite/linear/linear_resource.hpp>
#include <arenite/ordered/ordered_heap.hpp>
#include <arenite/os/page_resource.hpp>
#include <arenite/pool/pool_resource.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <type_traits>

using namespace arenite;

namespace {

static_assert(std::is_same_v<decltype(budgeted_resource{std::declval<budget_group&>(),
                                                        std::declval<ordered_heap&>()}),
                             budgeted_resource<ordered_heap&>>);

TEST(budgeted_resource, refuses_what_does_not_fit_in_the_group) {
    budget_group all{1000};
    budgeted_resource<ordered_heap> a{all};
    budgeted_resource<ordered_heap> b{all};
    void* const p = a.try_allocate(600);
    ASSERT_NE(p, nullptr);
    EXPECT_EQ(b.try_allocate(401), nullptr);
    EXPECT_EQ(all.in_use(), 600U);
    EXPECT_EQ(b.left_bytes(), 400U);
    EXPECT_FALSE(a.try_resize(p, 600, 1100));
    void* const q = b.try_allocate(0); // counts as one byte
    EXPECT_EQ(all.in_use(), 601U);
    b.deallocate(q, 0);
    a.deallocate(p, 600);
    EXPECT_EQ(all.in_use(), 0U);
#if ARENITE_EXCEPTIONS
    EXPECT_THROW(static_cast<void>(a.allocate(1001)), out_of_memory);
#endif
}

TEST(budgeted_resource, tells_nobody_of_what_its_own_resource_refuses) {
    int told = 0;
    budget_group all{{.budget_bytes = 1_GiB,
                      .on_level = [](budget_group&, budget_group&, budget_level,
                                     void* user) { ++*static_cast<int*>(user); },
                      .user = &told}};
    budgeted_resource<linear_resource> region{all, 1_MiB};
    EXPECT_EQ(region.try_allocate(1000_MiB), nullptr);
    EXPECT_EQ(told, 0);
    EXPECT_EQ(all.high_water(), 0U);
    EXPECT_NE(region.try_allocate(1000), nullptr);
    EXPECT_EQ(all.high_water(), 1000U);
}

TEST(budgeted_resource, counts_what_is_kept_where_sizes_are) {
    budget_group all{10'000};
    ordered_heap heap{ordered_options{.sizes = sizes::kept}};
    budgeted_resource a{all, heap};
    void* const p = a.allocate(100, 8);
    EXPECT_EQ(all.in_use(), heap.size_of(p));
    EXPECT_EQ(a.in_use(), heap.size_of(p));
    a.deallocate(p);
    void* const q = a.allocate(9'999, 8); // rounded up beyond the budget
    EXPECT_EQ(all.in_use(), heap.size_of(q));
    EXPECT_EQ(a.try_allocate(1), nullptr);
    a.deallocate(q, 9'999, 8);
    EXPECT_EQ(all.in_use(), 0U);
}

TEST(budgeted_resource, gives_the_group_its_bytes_back_when_it_ends) {
    budget_group all{1_MiB};
    {
        budgeted_resource<pool_resource> pool{all, slot{64, 16}};
        static_cast<void>(pool.allocate(64, 16));
        EXPECT_EQ(all.in_use(), 64U);
    }
    EXPECT_EQ(all.in_use(), 0U);
}

#if ARENITE_EXCEPTIONS
TEST(budgeted_resource, a_refusal_tells_of_the_budget) {
    const auto text_of = [](auto& heap, std::size_t bytes = 101) -> std::string {
        try {
            static_cast<void>(heap.allocate(bytes, 8));
        } catch (const out_of_memory& error) {
            return error.what();
        }
        return "it did not throw";
    };
    budget_group all{60};
    budgeted_resource<pool_resource> pool{all, slot{200, 8}};
    EXPECT_TRUE(text_of(pool).ends_with("which has 60 bytes left")) << text_of(pool);
    limited_resource<ordered_heap> heap{40};
    EXPECT_TRUE(text_of(heap).ends_with("which has 40 bytes left")) << text_of(heap);
    limited_resource<limited_resource<ordered_heap>> outer{1_MiB, std::size_t{20}};
    EXPECT_FALSE(text_of(outer).ends_with("left")) << "its own budget would have done";
    synchronized_resource<limited_resource<ordered_heap>> locked{std::size_t{30}};
    EXPECT_TRUE(text_of(locked).ends_with("which has 30 bytes left")) << text_of(locked);
    budget_group none{0};
    budgeted_resource<ordered_heap> empty{none};
    EXPECT_TRUE(text_of(empty, 0).ends_with("which has 0 bytes left")) << text_of(empty, 0);
}
#endif

TEST(budgeted_resource, the_largest_hole_is_one_that_it_grants) {
    if (passthrough())
        GTEST_SKIP() << "malloc tells of no holes";
    budget_group all{200'000};
    budgeted_resource<tlsf_resource> heap{all, 1_MiB};
    heap.deallocate(heap.allocate(1000, 16), 1000, 16);
    const std::size_t hole = heap.usage().largest_hole_bytes;
    EXPECT_LE(hole, 200'000U);
    EXPECT_GT(hole, 100'000U);
}

TEST(budgeted_resource, counts_blocks_under_a_heap) {
    if (passthrough())
        GTEST_SKIP() << "heaps ask malloc, not their upstream";
    budget_group all{1_MiB};
    budgeted_resource pages{all, page_source()};
    {
        ordered_heap scene{ordered_options{}, pages};
        std::size_t given = 0;
        while (void* const p = scene.try_allocate(1000, 8)) {
            static_cast<void>(p);
            ++given;
        }
        EXPECT_GT(given, 500U);
        EXPECT_LE(all.in_use(), 1_MiB);
        EXPECT_GT(all.refusals(), 0U);
    }
    EXPECT_EQ(all.in_use(), 0U);
}

} // namespace
