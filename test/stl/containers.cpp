// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/stl/containers.hpp>

#include <gtest/gtest.h>

#include <string>
#include <type_traits>

namespace {

namespace pooled = arenite::pooled;
namespace suballocated = arenite::suballocated;

// One word changes, and nothing but the allocator.
static_assert(std::is_same_v<pooled::set<int>::key_compare, std::set<int>::key_compare>);
static_assert(std::is_same_v<pooled::map<int, char>::value_type, std::map<int, char>::value_type>);
static_assert(std::is_same_v<pooled::unordered_map<int, char>::hasher, std::hash<int>>);
static_assert(
    std::is_same_v<pooled::list<int, 100>::allocator_type, arenite::pool_allocator<int, 100>>);

static_assert(std::is_same_v<suballocated::map<int, char>::allocator_type,
                             arenite::suballocator<std::pair<const int, char>>>);

/// Adds 2000 elements; how many there are then.
constexpr auto fill = [](auto c) {
    for (int i = 0; i < 2000; ++i) {
        if constexpr (requires {
                          c.emplace(i, 'a');
                          typename decltype(c)::mapped_type;
                      })
            c.emplace(i % 1000, 'a');
        else if constexpr (requires { typename decltype(c)::key_type; })
            c.emplace(i % 1000);
        else if constexpr (requires { c.push_back(i); })
            c.push_back(i);
        else
            c.push_front(i);
    }
    return std::distance(c.begin(), c.end());
};

TEST(containers, are_the_standard_ones_with_a_pool) {
    EXPECT_EQ(fill(pooled::list<int>{}), 2000);
    EXPECT_EQ(fill(pooled::forward_list<int, 2000>{}), 2000);
    EXPECT_EQ(fill(pooled::vector<int>{}), 2000);
    EXPECT_EQ(fill(pooled::deque<int>{}), 2000);
    EXPECT_EQ(fill(pooled::set<int>{}), 1000);
    EXPECT_EQ(fill(pooled::multiset<int>{}), 2000);
    EXPECT_EQ(fill(pooled::map<int, char>{}), 1000);
    EXPECT_EQ(fill(pooled::multimap<int, char>{}), 2000);
    EXPECT_EQ(fill(pooled::unordered_set<int>{}), 1000);
    EXPECT_EQ(fill(pooled::unordered_multiset<int>{}), 2000);
    EXPECT_EQ(fill(pooled::unordered_map<int, char>{}), 1000);
    EXPECT_EQ(fill(pooled::unordered_multimap<int, char>{}), 2000);
    pooled::map<std::string, int> words;
    ++words["one"];
    EXPECT_EQ(words.at("one"), 1);
}

TEST(containers, are_the_standard_ones_with_elements_from_shared_rows) {
    EXPECT_EQ(fill(suballocated::list<int>{}), 2000);
    EXPECT_EQ(fill(suballocated::forward_list<int>{}), 2000);
    EXPECT_EQ(fill(suballocated::vector<int>{}), 2000);
    EXPECT_EQ(fill(suballocated::deque<int>{}), 2000);
    EXPECT_EQ(fill(suballocated::set<int>{}), 1000);
    EXPECT_EQ(fill(suballocated::multiset<int>{}), 2000);
    EXPECT_EQ(fill(suballocated::map<int, char>{}), 1000);
    EXPECT_EQ(fill(suballocated::multimap<int, char>{}), 2000);
    EXPECT_EQ(fill(suballocated::unordered_set<int>{}), 1000);
    EXPECT_EQ(fill(suballocated::unordered_multiset<int>{}), 2000);
    EXPECT_EQ(fill(suballocated::unordered_map<int, char>{}), 1000);
    EXPECT_EQ(fill(suballocated::unordered_multimap<int, char>{}), 2000);
    suballocated::list<int> a{1}, b{2};
    a.splice(a.end(), b);
    EXPECT_EQ(a.size(), 2u);
}

} // namespace
