// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/core/members.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <type_traits>
#include <utility>

using namespace arenite;

namespace {

struct vector3 {
    float x, y, z;
};

struct particle {
    vector3 position;
    std::unique_ptr<int> owned;
    float mass;
    const char flag;
};

using m = members_of<particle>;

TEST(members_of, knows_count_types_places_and_names) {
    static_assert(m::count == 4);
    static_assert(std::is_same_v<m::type<0>, vector3>);
    static_assert(std::is_same_v<m::type<3>, const char>);
    static_assert(m::index<&particle::position> == 0);
    static_assert(m::index<&particle::mass> == 2);
    static_assert(m::name<1> == "owned");
}

TEST(members_of, visits_an_object_const_or_not) {
    particle p{{1, 2, 3}, nullptr, 4, 'f'};
    m::visit(p, [&](auto& position, auto& owned, auto& mass, auto& flag) {
        static_assert(std::is_same_v<decltype(mass), float&>);
        owned = std::make_unique<int>(5);
        mass = position.y;
        EXPECT_EQ(flag, 'f');
    });
    EXPECT_EQ(p.mass, 2);
    m::visit(std::as_const(p), [](auto&, auto& owned, auto& mass, auto&) {
        static_assert(std::is_same_v<decltype(mass), const float&>);
        EXPECT_EQ(*owned, 5);
    });
}

TEST(members_of, makes_an_object_of_its_members) {
    const particle p = m::make(vector3{1, 2, 3}, std::make_unique<int>(6), 7.0f, 'x');
    EXPECT_EQ(p.position.z, 3);
    EXPECT_EQ(*p.owned, 6);
    EXPECT_EQ(p.mass, 7);
    EXPECT_EQ(p.flag, 'x');
}

TEST(members_of, finds_members_in_the_middle_of_constant_expressions) {
    constexpr auto sum = [] {
        vector3 v{1, 2, 3};
        return members_of<vector3>::visit(v, [](auto... c) { return (c + ...); });
    }();
    static_assert(sum == 6);
}

} // namespace
