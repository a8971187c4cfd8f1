// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <deque>
#include <forward_list>
#include <functional>
#include <list>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace conformance_suite {

/// Uses each of them on r; the allocator decides whether they go through the base of a resource or
/// through its own type.
template <template <class> class Allocator, class R>
void use_every_container(R& r) {
    constexpr int count = 300;
    using pair = std::pair<const int, int>;
    std::vector<int, Allocator<int>> vector{r};
    std::deque<int, Allocator<int>> deque{r};
    std::list<int, Allocator<int>> list{r};
    std::forward_list<int, Allocator<int>> flist{r};
    std::set<int, std::less<>, Allocator<int>> set{r};
    std::multiset<int, std::less<>, Allocator<int>> multiset{r};
    std::map<int, int, std::less<>, Allocator<pair>> map{r};
    std::multimap<int, int, std::less<>, Allocator<pair>> multimap{r};
    std::unordered_set<int, std::hash<int>, std::equal_to<>, Allocator<int>> uset{r};
    std::unordered_map<int, int, std::hash<int>, std::equal_to<>, Allocator<pair>> umap{r};
    std::basic_string<char, std::char_traits<char>, Allocator<char>> string{r};
    for (int i = 0; i < count; ++i) {
        vector.push_back(i);
        deque.push_front(i);
        list.push_back(i);
        flist.push_front(i);
        set.insert(i);
        multiset.insert(i / 2);
        map.emplace(i, i);
        multimap.emplace(i / 2, i);
        uset.insert(i);
        umap.emplace(i, i);
        string += static_cast<char>('a' + i % 26);
    }
    for (int i = 0; i < count; i += 3) {
        set.erase(i);
        map.erase(i);
        uset.erase(i);
        umap.erase(i);
    }
    list.remove_if([](int x) { return x % 2 == 0; });
    flist.remove_if([](int x) { return x % 2 == 0; });
    vector.resize(10);
    vector.shrink_to_fit();
    const auto copy = map;
    for (int i = 0; i < count; ++i) {
        ASSERT_EQ(deque[static_cast<std::size_t>(count - 1 - i)], i);
        ASSERT_EQ(set.contains(i), i % 3 != 0);
        ASSERT_EQ(copy.contains(i), i % 3 != 0);
        ASSERT_EQ(umap.contains(i), i % 3 != 0);
        ASSERT_EQ(string[static_cast<std::size_t>(i)], 'a' + i % 26);
    }
    ASSERT_EQ(list.size(), 150u);
    ASSERT_EQ(multiset.size(), 300u);
    ASSERT_EQ(multimap.count(7), 2u);
    ASSERT_EQ(vector[9], 9);
}

} // namespace conformance_suite
