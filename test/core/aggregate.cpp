// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/core/detail/aggregate.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

using namespace arenite;
using detail::aggregate::obstacle;

namespace {

struct inner {
    float x, y;
};

/// Members of library types, which take anything in braces in their own ways.
struct library {
    std::string text;
    std::optional<int> maybe;
    std::vector<std::string> list;
    std::unique_ptr<int> owned;
    std::array<int, 3> array;
    std::variant<int, std::string> either;
    std::function<void()> call;
    std::string_view view;
    const int constant;
};

struct one {
    inner only;
};

struct array_of_two {
    int values[2];
    std::string text;
};
struct array_at_the_end {
    std::string text;
    inner values[5];
};
struct bits {
    int whole;
    int part : 3;
};
struct reference {
    int value;
    int& other;
};
struct derived : inner {
    int value;
};
struct with_constructor {
    with_constructor(int) {}
    int value = 0;
};
struct nothing {};
struct large_array {
    char text[100];
};

#define EIGHT(name) name##0, name##1, name##2, name##3, name##4, name##5, name##6, name##7
struct m32 {
    int EIGHT(a);
    int EIGHT(b), EIGHT(c), EIGHT(d);
};
struct m48 {
    int EIGHT(a);
    int EIGHT(b), EIGHT(c), EIGHT(d), EIGHT(e), EIGHT(f);
};
#undef EIGHT

TEST(aggregate, says_what_stands_in_the_way) {
    EXPECT_EQ(detail::aggregate::obstacle_of<library>, obstacle::none);
    EXPECT_EQ(detail::aggregate::obstacle_of<one>, obstacle::none);
    EXPECT_EQ(detail::aggregate::obstacle_of<m32>, obstacle::none);
    EXPECT_EQ(detail::aggregate::obstacle_of<m48>, obstacle::none);
    EXPECT_EQ(detail::aggregate::obstacle_of<array_of_two>, obstacle::array);
    EXPECT_EQ(detail::aggregate::obstacle_of<array_at_the_end>, obstacle::array);
    EXPECT_EQ(detail::aggregate::obstacle_of<bits>, obstacle::bit_field);
    EXPECT_EQ(detail::aggregate::obstacle_of<reference>, obstacle::reference);
    EXPECT_EQ(detail::aggregate::obstacle_of<derived>, obstacle::base);
    EXPECT_EQ(detail::aggregate::obstacle_of<with_constructor>, obstacle::not_plain);
    EXPECT_EQ(detail::aggregate::obstacle_of<int>, obstacle::not_plain);
    EXPECT_EQ(detail::aggregate::obstacle_of<nothing>, obstacle::empty);
    EXPECT_EQ(detail::aggregate::obstacle_of<large_array>, obstacle::too_many);
}

TEST(aggregate, finds_the_place_of_a_member_at_compile_time) {
    static_assert(detail::aggregate::index_of<9>(&library::text) == 0);
    static_assert(detail::aggregate::index_of<9>(&library::owned) == 3);
    static_assert(detail::aggregate::index_of<9>(&library::constant) == 8);
    static_assert(detail::aggregate::index_of<1>(&one::only) == 0);
    static_assert(detail::aggregate::index_of<32>(&m32::d7) == 31);
    static_assert(detail::aggregate::index_of<48>(&m48::f7) == 47);
}

TEST(aggregate, knows_the_names) {
    EXPECT_EQ((detail::aggregate::name_of_member<library, 9, 0>), "text");
    EXPECT_EQ((detail::aggregate::name_of_member<library, 9, 8>), "constant");
    EXPECT_EQ((detail::aggregate::name_of_member<one, 1, 0>), "only");
    EXPECT_EQ((detail::aggregate::name_of_member<m32, 32, 8>), "b0");
    EXPECT_EQ((detail::aggregate::name_of_pointer<&inner::y>), "y");
    EXPECT_EQ(detail::aggregate::name_of_type<float>, "float");
    EXPECT_NE(detail::aggregate::name_of_type<inner>.find("inner"), std::string_view::npos);
}

TEST(aggregate, binds_the_members_of_an_object) {
    inner i{1, 2};
    detail::aggregate::bind<2>(i, [&](float& x, float& y) {
        EXPECT_EQ(&x, &i.x);
        EXPECT_EQ(&y, &i.y);
    });
    m32 many{};
    many.d7 = 7;
    EXPECT_EQ(detail::aggregate::bind<32>(many, [](auto&... m) { return (0 + ... + m); }), 7);
}

} // namespace
