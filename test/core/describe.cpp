// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/core/describe.hpp>
#include <arenite/core/members.hpp>

#include <gtest/gtest.h>

#include <string>
#include <type_traits>
#include <utility>

using namespace arenite;

namespace {

struct placed {
    int x = 1, y = 2;
};

/// Not found by itself: a base with data, a constructor, a private member.
class body : public placed {
public:
    body() = default;
    explicit body(double m) : mass_{m} {}

    [[nodiscard]] double mass() const { return mass_; }
    std::string name = "body";

private:
    friend struct arenite::describe<body>;
    double mass_ = 3;
};

/// Members that cannot be assigned to.
struct fixed {
    fixed(int a, int b) : first{a}, second{b} {}
    const int first;
    const int second;
};

} // namespace

template <>
struct arenite::describe<body> {
    using members = member_list<&body::y, &body::mass_, &body::name>;
};

template <>
struct arenite::describe<fixed> {
    using members = member_list<&fixed::first, &fixed::second>;
    static fixed make(int a, int b) { return {a, b}; }
};

namespace {

TEST(describe, lists_members_that_are_not_found) {
    using m = members_of<body>;
    static_assert(m::count == 3);
    static_assert(m::index<&body::y> == 0 && m::index<&body::name> == 2);
    static_assert(std::is_same_v<m::type<1>, double>);
    EXPECT_EQ(m::name<0>, "y");
    EXPECT_EQ(m::name<1>, "mass_");

    body b{5};
    m::visit(b, [&](int& y, double& mass, std::string& name) {
        EXPECT_EQ(&y, &b.y);
        EXPECT_EQ(mass, 5);
        EXPECT_EQ(&name, &b.name);
    });
}

TEST(describe, makes_an_object_by_assigning_what_is_listed) {
    const body b = members_of<body>::make(7, 8.0, std::string{"made"});
    EXPECT_EQ(b.x, 1);
    EXPECT_EQ(b.y, 7);
    EXPECT_EQ(b.mass(), 8);
    EXPECT_EQ(b.name, "made");
}

TEST(describe, makes_an_object_as_it_says) {
    const fixed f = members_of<fixed>::make(4, 5);
    EXPECT_EQ(f.first, 4);
    EXPECT_EQ(f.second, 5);
}

} // namespace
