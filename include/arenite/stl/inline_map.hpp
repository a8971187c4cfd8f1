// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>
#include <arenite/stl/detail/inline_unique.hpp>

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <map>
#include <utility>

namespace arenite {
inline namespace ARENITE_ABI {

namespace detail {

template <class K, class V, class Compare>
struct map_family : ordered_keys<K, Compare>, keys_and_values<K, V> {
    template <template <class> class Allocator>
    using of = std::map<K, V, Compare, Allocator<std::pair<const K, V>>>;
};

} // namespace detail

/// A std::map of at most N elements whose nodes are part of the object itself.
///
///     inline_map<int, float, 64> heights;
///     heights[7] = 1.5F;                          // no allocation, ever
///
///     heights   | std::map | bits of 64 slots | node | node | ... 64 nodes |
///
/// How large a node is comes from the standard library itself, when the program is compiled.
///
/// Use when:  a small map of known size is part of a structure, lies on the stack or in static
///            memory, or must not allocate: in an interrupt, an audio callback, a fixed memory.
///            For any size: std::map with a pool_allocator.
/// Cost:      that of std::map, and O(1) for a slot. Copy, move, swap: O(size), element by element.
/// Overhead:  104 bytes, some bits an element, beside std::map and its N nodes; sizeof says it all.
/// Limits:    N elements. K and V must be complete where the type is used. There is no
///            get_allocator: neither the memory nor nodes can be passed on.
/// Threads:   one at a time, as std::map.
/// Failure:   the element N + 1 is refused by out_of_memory, and nothing changes; without
///            exceptions the contract handler is called: ask full(). An element that is there
///            already is never refused.
///
/// The interface is std::map's, with these differences, since the memory is inside the object:
/// - iterators, pointers and references end with a move or a swap; a moved-from map is empty;
/// - merge, and insert of another map's node, move the element; a node handle must end before
///   the map that it came from, and keeps its slot until it ends: while one is out, N elements are
///   refused by that map, and a move or swap of them ends the program where it is noexcept;
/// - erase_if is called without `std::`;
/// - an exception while elements are moved or swapped one by one leaves valid maps, but some
///   elements may be gone.
template <class K, class V, std::size_t N, class Compare = std::less<K>>
class inline_map : public detail::inline_unique<detail::map_family<K, V, Compare>, N> {
    using common = detail::inline_unique<detail::map_family<K, V, Compare>, N>;
    using typename common::base;
    using typename common::with;

public:
    using mapped_type = V;
    using key_compare = Compare;
    using value_compare = typename base::value_compare;
    using reverse_iterator = typename base::reverse_iterator;
    using const_reverse_iterator = typename base::const_reverse_iterator;
    using typename common::value_type;

    inline_map() : inline_map(Compare()) {}
    explicit inline_map(const Compare& compare) : common(with{}, compare) {}
    template <std::input_iterator I>
    inline_map(I first, I last, const Compare& compare = Compare()) : inline_map(compare) {
        this->insert(first, last);
    }
    inline_map(std::initializer_list<value_type> values, const Compare& compare = Compare())
        : inline_map(values.begin(), values.end(), compare) {}
    inline_map& operator=(std::initializer_list<value_type> values) {
        this->assign(values);
        return *this;
    }

    using base::at;
    using base::crbegin;
    using base::crend;
    using base::insert_or_assign;
    using base::key_comp;
    using base::lower_bound;
    using base::rbegin;
    using base::rend;
    using base::try_emplace;
    using base::upper_bound;
    using base::value_comp;
    using base::operator[];

    void swap(inline_map& other) { this->swap_with(other); }
    friend void swap(inline_map& a, inline_map& b) { a.swap(b); }

    friend bool operator<(const inline_map& a, const inline_map& b) {
        return static_cast<const base&>(a) < static_cast<const base&>(b);
    }
    friend bool operator>(const inline_map& a, const inline_map& b) { return b < a; }
    friend bool operator<=(const inline_map& a, const inline_map& b) { return !(b < a); }
    friend bool operator>=(const inline_map& a, const inline_map& b) { return !(a < b); }
};

} // namespace ARENITE_ABI
} // namespace arenite
