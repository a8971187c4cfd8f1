// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/stl/inline_map.hpp>

#include <gtest/gtest.h>

#include "support/inline_container.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>

#include <memory>
#include <string>
#include <type_traits>
#include <utility>

using namespace arenite;
using support::tied;

namespace {

static_assert(std::is_nothrow_move_constructible_v<
              inline_map<std::size_t, int, 4,
                         decltype([](std::size_t a, std::size_t b) noexcept { return a < b; })>>);
static_assert(inline_map<int, int, 4>::max_size() == 4);

TEST(inline_map, takes_any_number_of_elements) {
    inline_map<int, char, 1> one;
    one[5] = 'a';
    one[5] = 'b';
    EXPECT_TRUE(one.full());
    EXPECT_EQ(one.at(5), 'b');
    auto many = std::make_unique<inline_map<int, char, 5000>>();
    for (int i = 0; i < 5000; ++i)
        many->try_emplace(i * 7919 % 5000, 'x');
    EXPECT_TRUE(many->full());
    auto other = std::make_unique<inline_map<int, char, 5000>>();
    other->swap(*many);
    EXPECT_TRUE(many->empty());
    EXPECT_EQ(other->rbegin()->first, 4999);
}

TEST(inline_map, nodes_are_aligned_as_their_elements) {
    struct alignas(64) wide {
        int x = 0;
    };
    inline_map<char, wide, 5> m;
    for (char c = 'a'; c < 'f'; ++c)
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&m[c]) % 64, 0U);
}

TEST(inline_map, keeps_keys_and_values_that_can_only_be_moved) {
    using only_moved = inline_map<std::unique_ptr<int>, std::unique_ptr<int>, 3>;
    only_moved m;
    m.emplace(std::make_unique<int>(1), std::make_unique<int>(2));
    const int* const key = m.begin()->first.get();
    only_moved n{std::move(m)};
    EXPECT_TRUE(m.empty()); // NOLINT(bugprone-use-after-move): it is empty, and may be used
    m = std::move(n);
    m.swap(n);
    EXPECT_EQ(n.begin()->first.get(), key);
    EXPECT_EQ(*n.begin()->second, 2);
}

TEST(inline_map, order_functions_go_along) {
    using map = inline_map<tied, tied, 8, support::downwards_if>;
    map down{support::downwards_if{true}};
    support::fill(down, 0);
    map up;
    support::fill(up, 100);
    swap(up, down);
    EXPECT_EQ(up.begin()->first.get(), 7);
    EXPECT_EQ(down.begin()->first.get(), 100);
    down = up;
    EXPECT_EQ(down.begin()->first.get(), 7);
    map again{std::move(down)};
    EXPECT_EQ(again.begin()->first.get(), 7);
    up.clear();
    up = {{1, 1}, {2, 2}};
    EXPECT_EQ(up.begin()->first.get(), 2);
}

TEST(inline_map, has_the_rest_of_the_interface) {
    inline_map<std::string, int, 8, std::less<>> m{{"a", 1}, {"b", 2}, {"c", 3}};
    m.insert(std::pair<const char*, int>{"d", 4});
    m.insert_or_assign("a", 5);
    EXPECT_EQ(m["a"], 5);
    EXPECT_EQ(m.lower_bound("b")->second, 2);
    EXPECT_EQ(m.upper_bound("b")->second, 3);
    EXPECT_EQ(m.equal_range("b").first->second, 2);
    EXPECT_EQ(m.count("x"), 0U);
    EXPECT_TRUE(m.contains("d"));
    const inline_map<std::string, int, 8, std::less<>> n = m;
    EXPECT_EQ(n.find("c")->second, 3);
    EXPECT_EQ(n.rbegin()->first, "d");
    EXPECT_EQ(erase_if(m, [](const auto& v) { return v.second > 3; }), 2U);
    EXPECT_EQ(m.size(), 2U);
    EXPECT_TRUE(n != m);
    EXPECT_TRUE(n < m);
    inline_map<std::string, int, 3, std::less<>> small{{"z", 26}};
    small.merge(m);
    EXPECT_TRUE(small.full());
    EXPECT_TRUE(m.empty());
#if ARENITE_EXCEPTIONS
    EXPECT_THROW(small["new"], out_of_memory);
    EXPECT_THROW(small.merge(inline_map<std::string, int, 8, std::less<>>{n}), out_of_memory);
    EXPECT_EQ(small.size(), 3U);
    EXPECT_THROW((inline_map<int, int, 1>{{1, 1}, {2, 2}}), out_of_memory);
#endif
    small["z"] = 27; // is there
    EXPECT_EQ(small.at("z"), 27);
}

} // namespace
