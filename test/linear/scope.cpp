// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/core/literals.hpp>
#include <arenite/linear/linear_resource.hpp>
#include <arenite/linear/scope.hpp>

#include <gtest/gtest.h>

#include "support/counting_resource.hpp"

#include <cstddef>
#include <type_traits>
#include <vector>

using namespace arenite;

namespace {

static_assert(!std::is_copy_constructible_v<scope<linear_resource>>);
static_assert(!std::is_move_constructible_v<scope<linear_resource>>);
static_assert(!std::is_constructible_v<scope<linear_resource>, linear_resource&&>);

TEST(scope, frees_at_the_end_of_the_block) {
    linear_resource a{1000};
    void* before = a.allocate(8, 8);
    {
        const scope s{a};
        static_cast<void>(a.allocate(100));
        EXPECT_GT(a.in_use(), 8u);
    }
    EXPECT_EQ(a.in_use(), 8u);
    EXPECT_TRUE(a.owns(before));
}

TEST(scope, may_begin_before_the_first_allocation) {
    support::counting_resource up;
    linear_resource a{1000, &up};
    {
        const scope s{a};
        EXPECT_EQ(up.calls(), 0u);
        static_cast<void>(a.allocate(100));
    }
    EXPECT_EQ(a.in_use(), 0u);
    { const scope unused{a}; }
}

TEST(scope, stands_over_a_request_larger_than_the_capacity) {
    linear_resource a{1000};
    {
        const scope s{a};
        EXPECT_EQ(a.try_allocate(1001), nullptr);
        EXPECT_NE(a.try_allocate(500), nullptr);
        EXPECT_EQ(a.try_allocate(501), nullptr);
    }
    EXPECT_EQ(a.in_use(), 0u);
    EXPECT_NE(a.try_allocate(1000), nullptr);
}

TEST(scope, stands_over_an_upstream_that_fails) {
    support::counting_resource up;
    up.fail_after(0);
    linear_resource a{1000, &up};
    {
        const scope s{a};
        static_cast<void>(a.try_allocate(10));
    }
    EXPECT_EQ(a.in_use(), 0u);
}

TEST(scope, nests) {
    linear_resource a{1000};
    {
        const scope outer{a};
        static_cast<void>(a.allocate(10, 1));
        for (int i = 0; i < 100; ++i) {
            const scope inner{a};
            static_cast<void>(a.allocate(500, 1));
        }
        EXPECT_EQ(a.in_use(), 10u);
    }
    EXPECT_EQ(a.in_use(), 0u);
    EXPECT_EQ(a.high_water(), 510u);
}

TEST(scope, stands_over_a_reset_where_the_resource_was_empty) {
    linear_resource a{1000};
    {
        const scope s{a};
        static_cast<void>(a.allocate(10));
        a.reset();
        static_cast<void>(a.allocate(20));
    }
    EXPECT_EQ(a.in_use(), 0u);
}

// Any Markable: what mark() returns is the resource's own affair.
struct log_of_marks {
    int mark() { return next++; }
    void rewind(int m) { rewound.push_back(m); }
    int next = 1;
    std::vector<int> rewound;
};

TEST(scope, takes_any_markable) {
    log_of_marks marks;
    {
        const scope outer{marks};
        const scope inner{marks};
    }
    EXPECT_EQ(marks.rewound, (std::vector{2, 1}));
}

#if ARENITE_EXCEPTIONS
TEST(scope, frees_when_an_exception_passes) {
    linear_resource a{1000};
    try {
        const scope s{a};
        static_cast<void>(a.allocate(10));
        throw 1;
    } catch (int) {
    }
    EXPECT_EQ(a.in_use(), 0u);
}
#endif

} // namespace
