// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>
#include <arenite/stl/pool_allocator.hpp>
#include <arenite/stl/suballocator.hpp>

#include <cstddef>
#include <deque>
#include <forward_list>
#include <functional>
#include <list>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

/// The standard containers, each with a pool of its own: `std::map<K, V>` becomes
/// `arenite::pooled::map<K, V>`. N, the last parameter, is the expected number of elements. A list,
/// forward_list or vector may be a member of its elements' own class, which is not complete there;
/// an inline_list may not: its elements are part of it.
namespace arenite {
inline namespace ARENITE_ABI {
namespace pooled {

template <class T, std::size_t N = 0>
using list = std::list<T, pool_allocator<T, N>>;

template <class T, std::size_t N = 0>
using forward_list = std::forward_list<T, pool_allocator<T, N>>;

template <class T, std::size_t N = 0>
using vector = std::vector<T, pool_allocator<T, N>>;

template <class T, std::size_t N = 0>
using deque = std::deque<T, pool_allocator<T, N>>;

template <class Key, class Compare = std::less<Key>, std::size_t N = 0>
using set = std::set<Key, Compare, pool_allocator<Key, N>>;

template <class Key, class Compare = std::less<Key>, std::size_t N = 0>
using multiset = std::multiset<Key, Compare, pool_allocator<Key, N>>;

template <class Key, class T, class Compare = std::less<Key>, std::size_t N = 0>
using map = std::map<Key, T, Compare, pool_allocator<std::pair<const Key, T>, N>>;

template <class Key, class T, class Compare = std::less<Key>, std::size_t N = 0>
using multimap = std::multimap<Key, T, Compare, pool_allocator<std::pair<const Key, T>, N>>;

template <class Key, class Hash = std::hash<Key>, class Equal = std::equal_to<Key>,
          std::size_t N = 0>
using unordered_set = std::unordered_set<Key, Hash, Equal, pool_allocator<Key, N>>;

template <class Key, class Hash = std::hash<Key>, class Equal = std::equal_to<Key>,
          std::size_t N = 0>
using unordered_multiset = std::unordered_multiset<Key, Hash, Equal, pool_allocator<Key, N>>;

template <class Key, class T, class Hash = std::hash<Key>, class Equal = std::equal_to<Key>,
          std::size_t N = 0>
using unordered_map =
    std::unordered_map<Key, T, Hash, Equal, pool_allocator<std::pair<const Key, T>, N>>;

template <class Key, class T, class Hash = std::hash<Key>, class Equal = std::equal_to<Key>,
          std::size_t N = 0>
using unordered_multimap =
    std::unordered_multimap<Key, T, Hash, Equal, pool_allocator<std::pair<const Key, T>, N>>;

} // namespace pooled
} // namespace ARENITE_ABI
} // namespace arenite

/// The standard containers with elements in rows that the process shares by size: `std::map<K, V>`
/// becomes `arenite::suballocated::map<K, V>`. For a pool of the container's own, or rows from
/// another allocator, see suballocator.hpp.
namespace arenite {
inline namespace ARENITE_ABI {
namespace suballocated {

template <class T>
using list = std::list<T, suballocator<T>>;

template <class T>
using forward_list = std::forward_list<T, suballocator<T>>;

template <class T>
using vector = std::vector<T, suballocator<T>>;

template <class T>
using deque = std::deque<T, suballocator<T>>;

template <class Key, class Compare = std::less<Key>>
using set = std::set<Key, Compare, suballocator<Key>>;

template <class Key, class Compare = std::less<Key>>
using multiset = std::multiset<Key, Compare, suballocator<Key>>;

template <class Key, class T, class Compare = std::less<Key>>
using map = std::map<Key, T, Compare, suballocator<std::pair<const Key, T>>>;

template <class Key, class T, class Compare = std::less<Key>>
using multimap = std::multimap<Key, T, Compare, suballocator<std::pair<const Key, T>>>;

template <class Key, class Hash = std::hash<Key>, class Equal = std::equal_to<Key>>
using unordered_set = std::unordered_set<Key, Hash, Equal, suballocator<Key>>;

template <class Key, class Hash = std::hash<Key>, class Equal = std::equal_to<Key>>
using unordered_multiset = std::unordered_multiset<Key, Hash, Equal, suballocator<Key>>;

template <class Key, class T, class Hash = std::hash<Key>, class Equal = std::equal_to<Key>>
using unordered_map =
    std::unordered_map<Key, T, Hash, Equal, suballocator<std::pair<const Key, T>>>;

template <class Key, class T, class Hash = std::hash<Key>, class Equal = std::equal_to<Key>>
using unordered_multimap =
    std::unordered_multimap<Key, T, Hash, Equal, suballocator<std::pair<const Key, T>>>;

} // namespace suballocated
} // namespace ARENITE_ABI
} // namespace arenite
