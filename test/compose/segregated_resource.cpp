// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/compose/segregated_resource.hpp>
#include <arenite/core/error.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/linear/linear_resource.hpp>
#include <arenite/ordered/ordered_heap.hpp>
#include <arenite/pool/pool_resource.hpp>

#include <gtest/gtest.h>

#include "support/counting_resource.hpp"
#include "support/piece.hpp"

#include <cstddef>
#include <type_traits>

using namespace arenite;
using support::counting_resource;
using support::give;
using support::piece;
using support::take;

namespace {

TEST(segregated_resource, chooses_by_size) {
    counting_resource s, l;
    segregated_resource sg{256, s, l};
    static_assert(
        std::is_same_v<decltype(sg), segregated_resource<counting_resource&, counting_resource&>>);
    EXPECT_EQ(sg.small_bytes(), 256u);
    for (const std::size_t bytes : {0, 1, 255, 256}) {
        const piece x = take(sg, bytes);
        EXPECT_EQ(s.live(), 1u) << bytes;
        EXPECT_EQ(l.live(), 0u) << bytes;
        give(sg, x);
    }
    for (const std::size_t bytes : {257, 1000, 100'000}) {
        const piece x = take(sg, bytes);
        EXPECT_EQ(s.live(), 0u) << bytes;
        EXPECT_EQ(l.live(), 1u) << bytes;
        give(sg, x);
    }
}

TEST(segregated_resource, an_alignment_counts_as_a_size) {
    counting_resource s, l;
    segregated_resource sg{64, s, l};
    const piece x = take(sg, 8, 64), y = take(sg, 8, 128);
    EXPECT_EQ(s.live(), 1u);
    EXPECT_EQ(l.live(), 1u);
    give(sg, x); // they fail the test where something comes back to the other one
    give(sg, y);
}

TEST(segregated_resource, all_is_large_where_the_border_is_0) {
    counting_resource s, l;
    segregated_resource sg{0, s, l};
    const piece x = take(sg, 0, 1);
    EXPECT_EQ(l.live(), 1u);
    give(sg, x);
}

TEST(segregated_resource, where_the_one_refuses_the_other_is_not_asked) {
    counting_resource s, l;
    segregated_resource sg{64, s, l};
    s.fail_after(0);
    EXPECT_EQ(sg.try_allocate(8), nullptr);
    EXPECT_EQ(l.calls(), 0u);
#if ARENITE_EXCEPTIONS
    try {
        static_cast<void>(sg.allocate(8));
        FAIL() << "it did not throw";
    } catch (const out_of_memory& error) {
        EXPECT_EQ(error.source(), &sg);
    }
#endif
    const piece x = take(sg, 65);
    l.fail_after(0);
    EXPECT_EQ(sg.try_allocate(65), nullptr);
    give(sg, x);
}

TEST(segregated_resource, does_not_resize_across_the_border) {
    segregated_resource<linear_resource, linear_resource> sg{64, 1000u, 1000u};
    void* const small = sg.allocate(32, 1);
    EXPECT_FALSE(sg.try_resize(small, 32, 65));
    if (sg.try_resize(small, 32, 64)) {
        EXPECT_EQ(sg.first().in_use(), 64u);
        sg.deallocate(small, 64, 1);
    } else {
        sg.deallocate(small, 32, 1);
    }
    void* const large = sg.allocate(100, 1);
    EXPECT_FALSE(sg.try_resize(large, 100, 64));
    sg.deallocate(large, 100, 1);
    EXPECT_EQ(sg.usage().bytes_in_use, 0u);
}

TEST(segregated_resource, serves_a_pool_and_a_heap) {
    segregated_resource<pool_resource, ordered_heap> sg{48, slot{48, 16}, ordered_options{}};
    const piece a = take(sg, 48), b = take(sg, 49);
    EXPECT_TRUE(sg.first().owns(a.p));
    EXPECT_TRUE(sg.second().owns(b.p));
    sg.deallocate(a.p, 48);
    sg.deallocate(b.p, 49);
    EXPECT_EQ(sg.usage().bytes_in_use, 0u);
}

} // namespace
