// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/check/passthrough.hpp>
#include <arenite/compose/fallback_resource.hpp>
#include <arenite/core/error.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/core/system_resource.hpp>
#include <arenite/linear/linear_resource.hpp>
#include <arenite/ordered/ordered_heap.hpp>
#include <arenite/pool/pool_resource.hpp>

#include <gtest/gtest.h>

#include "support/counting_resource.hpp"
#include "support/piece.hpp"

#include <cstddef>
#include <memory>
#include <random>
#include <type_traits>
#include <utility>
#include <vector>

using namespace arenite;
using support::counting_resource;
using support::give;
using support::piece;
using support::take;

namespace {

template <class A, class B>
concept can_fall_back = requires { typename fallback_resource<A, B>; };
static_assert(can_fall_back<linear_resource, malloc_resource>);
static_assert(can_fall_back<malloc_resource, linear_resource>);
static_assert(!can_fall_back<malloc_resource, malloc_resource>, "nobody knows whose it is");

class fallback_resource_test : public testing::Test {
protected:
    void SetUp() override {
        if (passthrough())
            GTEST_SKIP() << "malloc's memory does not end, so nothing falls back";
    }
};

TEST_F(fallback_resource_test, takes_the_second_where_the_first_refuses) {
    linear_resource a{100};
    ordered_heap b;
    fallback_resource fr{a, b};
    static_assert(std::is_same_v<decltype(fr), fallback_resource<linear_resource&, ordered_heap&>>);
    const piece x = take(fr, 80, 1), y = take(fr, 80, 1), z = take(fr, 20, 1);
    EXPECT_TRUE(a.owns(x.p));
    EXPECT_TRUE(b.owns(y.p));
    EXPECT_TRUE(a.owns(z.p)) << "the first is asked each time";
    give(fr, y);
    EXPECT_EQ(b.usage().bytes_in_use, 0u);
    give(fr, z);
    give(fr, x);
    EXPECT_EQ(a.in_use(), 0u);
}

TEST_F(fallback_resource_test, each_free_finds_its_own) {
    const slot s{64, 16};
    fallback_resource<pool_resource, ordered_heap> fr{
        std::piecewise_construct, std::tuple{s, std::size_t{100}}, std::tuple{}};
    std::mt19937 random{3};
    std::vector<piece> live;
    for (int i = 0; i < 5000; ++i) {
        if (live.size() < 200 || random() % 2 == 0) {
            live.push_back(take(fr, 1 + random() % 64));
        } else {
            std::swap(live[random() % live.size()], live.back());
            give(fr, live.back());
            live.pop_back();
        }
        ASSERT_EQ(fr.usage().live_allocations, live.size());
    }
    EXPECT_EQ(fr.first().slots_in_use(), 100u) << "it is full all the while";
    give(fr, live);
    EXPECT_EQ(fr.usage().bytes_in_use, 0u);
}

// The other way round: memory that is kept for when there is no other.
TEST_F(fallback_resource_test, asks_the_second_whose_it_is_where_the_first_does_not_know) {
    counting_resource up;
    fallback_resource<counting_resource&, linear_resource> fr{up, 1000u};
    const piece a = take(fr, 100);
    EXPECT_EQ(up.live(), 1u);
    up.fail_after(0);
    const piece b = take(fr, 100);
    EXPECT_TRUE(fr.second().owns(b.p));
    give(fr, b);
    EXPECT_EQ(fr.second().in_use(), 0u);
    give(fr, a);
    EXPECT_EQ(up.live(), 0u);
}

TEST_F(fallback_resource_test, refuses_what_both_refuse_and_nothing_changes) {
    fallback_resource<linear_resource, linear_resource> fr{100u, 200u};
    const piece a = take(fr, 60, 1), b = take(fr, 60, 1);
    EXPECT_EQ(fr.try_allocate(150), nullptr);
    EXPECT_EQ(fr.usage().bytes_in_use, 120u);
#if ARENITE_EXCEPTIONS
    try {
        static_cast<void>(fr.allocate(150));
        FAIL() << "it did not throw";
    } catch (const out_of_memory& error) {
        EXPECT_EQ(error.source(), &fr);
    }
#endif
    give(fr, b);
    give(fr, a);
}

TEST_F(fallback_resource_test, resizes_where_it_lies) {
    fallback_resource<linear_resource, linear_resource> fr{100u, 1000u};
    void* const a = fr.allocate(50, 1);
    void* const b = fr.allocate(80, 1);
    EXPECT_TRUE(fr.try_resize(b, 80, 500));
    EXPECT_EQ(fr.second().in_use(), 500u);
    EXPECT_TRUE(fr.try_resize(a, 50, 100));
    EXPECT_FALSE(fr.try_resize(a, 100, 101)) << "it does not move to the second";
    fr.deallocate(b, 500, 1);
    fr.deallocate(a, 100, 1);
    EXPECT_EQ(fr.usage().bytes_in_use, 0u);
}

TEST_F(fallback_resource_test, chains_to_any_depth) {
    linear_resource a{100}, b{100}, c{100};
    fallback_resource ab{a, b};
    fallback_resource abc{ab, c};
    ASSERT_NE(abc.try_allocate(90, 1), nullptr);
    ASSERT_NE(abc.try_allocate(90, 1), nullptr);
    const piece third = take(abc, 90, 1);
    EXPECT_TRUE(c.owns(third.p));
    EXPECT_EQ(abc.try_allocate(90, 1), nullptr);
    give(abc, third);
    EXPECT_EQ(c.in_use(), 0u);
}

TEST(fallback_resource_death, what_neither_owns_is_reported) {
    if (passthrough())
        GTEST_SKIP() << "malloc finds it there";
    fallback_resource<linear_resource, ordered_heap> fr{1000u, ordered_options{}};
    const piece a = take(fr, 2000);
    const auto elsewhere = std::make_unique<double>();
    EXPECT_DEATH(fr.deallocate(elsewhere.get(), 8), "was freed, 8 bytes, into ordered_heap");
    fr.deallocate(a.p, 2000);
    EXPECT_DEATH(fr.deallocate(a.p, 2000), "was freed, 2000 bytes, into ordered_heap");
}

} // namespace
