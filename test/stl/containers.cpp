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

/// Holds elements of its own class, which is not complete where they are declared.
template <template <class> class Children>
struct node {
    Children<node> children;
    int value = 0;
};

template <class T>
using pooled_list = pooled::list<T>;
template <class T>
using pooled_list_of_100 = pooled::list<T, 100>;
template <class T>
using pooled_forward_list = pooled::forward_list<T>;
template <class T>
using pooled_vector = pooled::vector<T>;

/// A tree of that many levels, with two children each; the sum of what lies in it.
template <class Node>
int sum_of_tree(Node& n, int levels) {
    n.value = 1;
    if (levels > 1) {
        n.children.resize(2);
        for (Node& child : n.children)
            n.value += sum_of_tree(child, levels - 1);
    }
    return n.value;
}

TEST(containers, hold_elements_of_the_class_that_they_are_a_member_of) {
    const auto sum = [](auto root) { return sum_of_tree(root, 8); };
    EXPECT_EQ(sum(node<pooled_list>{}), 255);
    EXPECT_EQ(sum(node<pooled_list_of_100>{}), 255);
    EXPECT_EQ(sum(node<pooled_forward_list>{}), 255);
    EXPECT_EQ(sum(node<pooled_vector>{}), 255);
    EXPECT_EQ(sum(node<suballocated::list>{}), 255);
    EXPECT_EQ(sum(node<suballocated::forward_list>{}), 255);
    EXPECT_EQ(sum(node<suballocated::vector>{}), 255);
}

} // namespace
