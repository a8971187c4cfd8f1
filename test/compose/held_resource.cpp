// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/compose/detail/held_resource.hpp>

#include <gtest/gtest.h>

#include <type_traits>
#include <utility>

using namespace arenite;
using detail::held_resource;

namespace {

struct counted {
    explicit counted(int v) : value{v} { ++alive; }
    counted(const counted& other) : value{other.value} { ++alive; }
    ~counted() { --alive; }
    int value;
    static inline int alive = 0;
};

static_assert(sizeof(held_resource<counted&>) == sizeof(void*));
static_assert(!std::is_default_constructible_v<held_resource<counted>>);
static_assert(!std::is_constructible_v<held_resource<counted&>, std::in_place_t, int>);
static_assert(!std::is_copy_constructible_v<held_resource<counted>>);

TEST(held_resource, is_made_of_arguments_and_ends_with_its_holder) {
    {
        const held_resource<counted> h{std::in_place, 4};
        EXPECT_EQ(h.get().value, 4);
        EXPECT_EQ(counted::alive, 1);
    }
    EXPECT_EQ(counted::alive, 0);
    const held_resource<int> by_default;
    EXPECT_EQ(by_default.get(), 0);
}

TEST(held_resource, refers_to_an_lvalue_of_its_type_and_leaves_it_alone) {
    counted there{5};
    {
        held_resource<counted> h{std::in_place, there};
        held_resource<counted&> r{std::in_place, there};
        EXPECT_EQ(&h.get(), &there);
        EXPECT_EQ(&r.get(), &there);
        EXPECT_EQ(&std::as_const(h).get(), &there);
        EXPECT_EQ(&std::as_const(r).get(), &there);
        EXPECT_EQ(counted::alive, 1);
    }
    EXPECT_EQ(counted::alive, 1);
    const held_resource<counted> copy{std::in_place, std::as_const(there)}; // made of it
    EXPECT_NE(&copy.get(), &there);
}

} // namespace
