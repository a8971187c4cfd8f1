// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/core/config.hpp>
#include <arenite/core/error.hpp>
#include <arenite/stl/inline_map.hpp>
#include <arenite/stl/inline_set.hpp>
#include <arenite/stl/inline_unordered_map.hpp>

#include <gtest/gtest.h>

#include "support/inline_container.hpp"

#include <cstddef>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>

using namespace arenite;
using support::by_modulus;
using support::tied;

namespace {

TEST(inline_unique, behaves_as_the_container_of_std_with_its_nodes_inside) {
    support::behaves_as<inline_map<tied, tied, 20>, std::map<tied, tied>>("inline_map");
    support::behaves_as<inline_set<tied, 20>, std::set<tied>>("inline_set");
    support::behaves_as<inline_unordered_map<tied, tied, 20, by_modulus>,
                        std::unordered_map<tied, tied, by_modulus>>("inline_unordered_map");
}

// No way leads to the container inside: its own swap and moves would exchange memory.
static_assert(!std::is_convertible_v<inline_map<int, int, 2>&, std::map<int, int>&>);
static_assert(!std::is_copy_constructible_v<detail::inline_slots<16, 8, 1, 0>>);

// Each way to add what is there already, while there is room for nothing.
template <class Map>
void refuses_nothing_that_is_there() {
    Map m;
    m.insert({1, 10});
    m.insert({2, 20});
    EXPECT_TRUE(m.full());
    const typename Map::value_type one{1, 5};
    EXPECT_FALSE(m.insert(one).second);
    EXPECT_FALSE(m.insert({1, 5}).second);
    EXPECT_EQ(m.insert(m.cend(), {1, 5})->second, 10);
    EXPECT_EQ(m.insert(m.cend(), one)->second, 10);
    EXPECT_FALSE(m.emplace(1, 5).second);
    EXPECT_FALSE(m.try_emplace(1, 5).second);
    EXPECT_EQ(m.emplace_hint(m.cend(), 1, 5)->second, 10);
    const auto held = m.extract(1); // has its slot as long as it is out
    EXPECT_TRUE(m.full());
    EXPECT_FALSE(m.emplace(2, 5).second);
    EXPECT_FALSE(m.insert({2, 5}).second);
    EXPECT_EQ(m.at(2), 20);
}

TEST(inline_unique, a_full_one_refuses_nothing_that_is_there) {
    refuses_nothing_that_is_there<inline_map<int, int, 2>>();
    refuses_nothing_that_is_there<inline_unordered_map<int, int, 2>>();
    inline_set<int, 2> set{1, 2};
    EXPECT_FALSE(set.insert(1).second);
    EXPECT_EQ(*set.insert(set.cend(), 2), 2);
}

// Moves are noexcept only where the copy of the functions is, too.
struct never_throws {
    std::size_t operator()(int a) const noexcept { return static_cast<std::size_t>(a); }
    bool operator()(int a, int b) const noexcept { return a < b; }
};
struct copied_by_chance : never_throws {
    copied_by_chance() = default;
    copied_by_chance(const copied_by_chance&) noexcept(false) {}
    copied_by_chance& operator=(const copied_by_chance&) noexcept(false) { return *this; }
};
static_assert(std::is_nothrow_move_constructible_v<inline_map<int, int, 2, never_throws>>);
static_assert(std::is_nothrow_move_assignable_v<
              inline_unordered_map<int, int, 2, never_throws, never_throws>>);
static_assert(!std::is_nothrow_move_constructible_v<inline_map<int, int, 2, copied_by_chance>>);
static_assert(!std::is_nothrow_move_assignable_v<inline_set<int, 2, copied_by_chance>>);
static_assert(!std::is_nothrow_move_assignable_v<
              inline_unordered_map<int, int, 2, copied_by_chance, never_throws>>);

#if ARENITE_EXCEPTIONS
template <class Map>
void a_full_map_takes_no_argument_that_it_refuses() {
    Map full;
    full.emplace(1, std::make_unique<int>(1));
    auto value = std::make_unique<int>(2);
    EXPECT_THROW(full.emplace(2, std::move(value)), out_of_memory);
    EXPECT_NE(value, nullptr);
    EXPECT_THROW(full.emplace_hint(full.cend(), 2, std::move(value)), out_of_memory);
    EXPECT_NE(value, nullptr);
    std::pair<int, std::unique_ptr<int>> both{2, std::move(value)};
    EXPECT_THROW(full.insert(std::move(both)), out_of_memory);
    EXPECT_THROW(full.insert(full.cend(), std::move(both)), out_of_memory);
    EXPECT_NE(both.second, nullptr);
    both.first = 1; // is there
    EXPECT_FALSE(full.insert(std::move(both)).second);
    EXPECT_NE(both.second, nullptr);
}

TEST(inline_unique, a_full_one_takes_no_argument_that_it_refuses) {
    a_full_map_takes_no_argument_that_it_refuses<inline_map<int, std::unique_ptr<int>, 1>>();
    a_full_map_takes_no_argument_that_it_refuses<
        inline_unordered_map<int, std::unique_ptr<int>, 1>>();
    inline_set<std::string, 1> full{"a"};
    std::string other{"a text that is longer than a small one"};
    EXPECT_THROW(full.emplace(std::move(other)), out_of_memory);
    EXPECT_FALSE(other.empty());
}

template <class Container, class... Values>
void keeps_what_it_has(const Container& before, Values... values) {
    Container c{before};
    EXPECT_THROW((c = {values...}), out_of_memory);
    EXPECT_EQ(c, before);
}

TEST(inline_unique, a_list_of_too_many_changes_nothing) {
    using pair = std::pair<const int, int>;
    const pair a{1, 1};
    const pair b{2, 2};
    const pair c{3, 3};
    keeps_what_it_has(inline_map<int, int, 2>{{7, 8}}, a, b, c);
    keeps_what_it_has(inline_unordered_map<int, int, 2>{{7, 8}}, a, b, c);
    keeps_what_it_has(inline_set<int, 2>{7}, 1, 2, 3);
    // A node handle that is out has one of the slots; no list takes what it holds.
    inline_map<int, int, 2, never_throws> held{{7, 8}, {9, 9}};
    const auto node = held.extract(7);
    EXPECT_THROW((held = {a, b}), out_of_memory);
    EXPECT_EQ(held.size(), 1U);
    EXPECT_EQ(held.at(9), 9);
    const inline_map<int, int, 2, never_throws> two{a, b};
    EXPECT_THROW(held = two, out_of_memory);
    EXPECT_EQ(held.size(), 1U);
    held = {a, a};
    EXPECT_EQ(held.size(), 1U);
    // Functions that cannot be assigned are no obstacle.
    const auto less = [&held](int x, int y) noexcept { return held.size() != 77 && x < y; };
    inline_map<int, int, 2, decltype(less)> by_reference{less};
    by_reference = {b, a};
    EXPECT_EQ(by_reference.begin()->first, 1);
    inline_set<int, 2> twice{7};
    twice = {1, 2, 1, 2};
    EXPECT_EQ(twice, (inline_set<int, 2>{1, 2}));
}

struct failing {
    explicit failing(int v) : value{v} {}
    failing(const failing& o) : value{o.value} {
        if (--moves_left == 0)
            throw std::runtime_error{"no more moves"};
    }
    failing& operator=(const failing&) = default;
    tied value;
    static inline int moves_left = 0;
};

// Whichever move fails: both containers can be used afterwards, and nothing is destroyed twice.
TEST(inline_unique, stays_valid_where_a_move_throws) {
    using map = inline_map<int, failing, 6>;
    const auto fill = [](map& m, int first) {
        failing::moves_left = 0;
        for (int i = 0; i < 5; ++i)
            m.try_emplace(first + i, i);
    };
    bool thrown = true;
    for (int n = 1; thrown; ++n) {
        map a;
        map b;
        fill(a, 0);
        fill(b, 10);
        failing::moves_left = n;
        thrown = false;
        try {
            a.swap(b);
            const map c{a};
            b = std::move(a);
        } catch (const std::runtime_error&) {
            thrown = true;
        }
        a.clear();
        fill(a, 30);
        b.clear();
        b = a;
        EXPECT_EQ(b.size(), 5U);
        ASSERT_LT(n, 1000);
    }
    EXPECT_EQ(tied::alive, 0);
}
#endif

} // namespace
