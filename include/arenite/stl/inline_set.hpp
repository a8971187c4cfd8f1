// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>
#include <arenite/stl/detail/inline_unique.hpp>

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <set>
#include <utility>

namespace arenite {
inline namespace ARENITE_ABI {

namespace detail {

template <class K, class Compare>
struct set_family : ordered_keys<K, Compare> {
    static constexpr bool is_map = false;
    using held = K;
    template <template <class> class Allocator>
    using of = std::set<K, Compare, Allocator<K>>;

    template <class Node>
        requires requires(Node& n) { n.value(); }
    static held moved(Node& n) {
        return std::move(n.value());
    }
    template <class Node>
        requires requires(const Node& n) { n.get_allocator(); }
    static const K& key(const Node& n) {
        return n.value();
    }
    static const K& key(const K& v) { return v; }
};

} // namespace detail

/// A std::set of at most N elements whose nodes are part of the object itself.
///
///     inline_set<int, 16> open_doors;
///     open_doors.insert(7);                       // no allocation, ever
///
/// Use when:  a small set of known size must not allocate; see inline_map, of which all holds:
///            what differs from the standard container, copies, moves and swaps.
/// Cost:      that of std::set, and O(1) for a slot. Copy, move, swap: O(size), element by element.
/// Overhead:  104 bytes and some bits an element, beside std::set and its N nodes.
/// Limits:    N elements; K must be complete where the type is used.
/// Threads:   one at a time, as std::set.
/// Failure:   the element N + 1 is refused by out_of_memory, and nothing changes; without
///            exceptions the contract handler is called: ask full().
template <class K, std::size_t N, class Compare = std::less<K>>
class inline_set : public detail::inline_unique<detail::set_family<K, Compare>, N> {
    using common = detail::inline_unique<detail::set_family<K, Compare>, N>;
    using typename common::base;
    using typename common::with;

public:
    using key_compare = Compare;
    using value_compare = Compare;
    using reverse_iterator = typename base::reverse_iterator;
    using const_reverse_iterator = typename base::const_reverse_iterator;
    using typename common::value_type;

    inline_set() : inline_set(Compare()) {}
    explicit inline_set(const Compare& compare) : common(with{}, compare) {}
    template <std::input_iterator I>
    inline_set(I first, I last, const Compare& compare = Compare()) : inline_set(compare) {
        this->insert(first, last);
    }
    inline_set(std::initializer_list<value_type> values, const Compare& compare = Compare())
        : inline_set(values.begin(), values.end(), compare) {}
    inline_set& operator=(std::initializer_list<value_type> values) {
        this->assign(values);
        return *this;
    }

    using base::crbegin;
    using base::crend;
    using base::key_comp;
    using base::lower_bound;
    using base::rbegin;
    using base::rend;
    using base::upper_bound;
    using base::value_comp;

    void swap(inline_set& other) { this->swap_with(other); }
    friend void swap(inline_set& a, inline_set& b) { a.swap(b); }

    friend bool operator<(const inline_set& a, const inline_set& b) {
        return static_cast<const base&>(a) < static_cast<const base&>(b);
    }
    friend bool operator>(const inline_set& a, const inline_set& b) { return b < a; }
    friend bool operator<=(const inline_set& a, const inline_set& b) { return !(b < a); }
    friend bool operator>=(const inline_set& a, const inline_set& b) { return !(a < b); }
};

} // namespace ARENITE_ABI
} // namespace arenite
