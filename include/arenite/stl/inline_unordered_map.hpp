// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>
#include <arenite/stl/detail/inline_unique.hpp>

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <type_traits>
#include <unordered_map>
#include <utility>

namespace arenite {
inline namespace ARENITE_ABI {

namespace detail {

template <class K, class V, class Hash, class Equal>
struct unordered_map_family : keys_and_values<K, V> {
    static constexpr bool is_hashed = true;
    static constexpr bool stateless = std::is_empty_v<Hash> && std::is_empty_v<Equal>;
    static constexpr bool nothrow_functions =
        std::is_nothrow_invocable_v<const Hash&, const K&> &&
        std::is_nothrow_invocable_v<const Equal&, const K&, const K&> &&
        std::is_nothrow_copy_constructible_v<Hash> && std::is_nothrow_copy_constructible_v<Equal>;
    static constexpr bool nothrow_exchange =
        std::is_nothrow_copy_assignable_v<Hash> && std::is_nothrow_copy_assignable_v<Equal>;

    template <template <class> class Allocator>
    using of = std::unordered_map<K, V, Hash, Equal, Allocator<std::pair<const K, V>>>;

    /// A library takes the next of its numbers of buckets, which are primes.
    [[nodiscard]] static constexpr std::size_t array_bytes(std::size_t n) noexcept {
        return (n + n / 4 + 4) * sizeof(void*);
    }
};

} // namespace detail

/// A std::unordered_map of at most N elements whose nodes and buckets are part of the object.
///
///     inline_unordered_map<int, float, 64> heights;
///     heights[7] = 1.5F;                          // no allocation, ever
///
///     heights   | std::unordered_map | bits | buckets | node | node | ... 64 nodes |
///
/// Use when:  a small hash table of known size must not allocate; see inline_map, of which all
///            holds: what differs from the standard container, copies, moves and swaps.
/// Cost:      that of std::unordered_map, and O(1) for a slot; never a rehash: the buckets for N
///            elements are there from the first one. Copy, move, swap: O(size), element by element.
/// Overhead:  104 bytes, some bits an element, beside std::unordered_map, its N nodes and 10 bytes
///            an element and 30 more for the buckets; sizeof says it all.
/// Limits:    N elements; one bucket or more for each, whatever is reserved: max_load_factor cannot
///            be set. K and V must be complete where the type is used.
/// Threads:   one at a time, as std::unordered_map.
/// Failure:   the element N + 1, and a reserve for more than N, is refused by out_of_memory, and
///            nothing changes; without exceptions the contract handler is called: ask full().
template <class K, class V, std::size_t N, class Hash = std::hash<K>,
          class Equal = std::equal_to<K>>
class inline_unordered_map
    : public detail::inline_unique<detail::unordered_map_family<K, V, Hash, Equal>, N> {
    using common = detail::inline_unique<detail::unordered_map_family<K, V, Hash, Equal>, N>;
    using typename common::base;
    using typename common::with;

public:
    using mapped_type = V;
    using hasher = Hash;
    using key_equal = Equal;
    using local_iterator = typename base::local_iterator;
    using const_local_iterator = typename base::const_local_iterator;
    using typename common::size_type;
    using typename common::value_type;

    inline_unordered_map() : inline_unordered_map(Hash()) {}
    explicit inline_unordered_map(const Hash& hash, const Equal& equal = Equal())
        : common(with{}, N, hash, equal) {}
    template <std::input_iterator I>
    inline_unordered_map(I first, I last, const Hash& hash = Hash(), const Equal& equal = Equal())
        : inline_unordered_map(hash, equal) {
        this->insert(first, last);
    }
    inline_unordered_map(std::initializer_list<value_type> values, const Hash& hash = Hash(),
                         const Equal& equal = Equal())
        : inline_unordered_map(values.begin(), values.end(), hash, equal) {}
    inline_unordered_map& operator=(std::initializer_list<value_type> values) {
        this->assign(values);
        return *this;
    }

    using base::at;
    using base::bucket;
    using base::bucket_count;
    using base::bucket_size;
    using base::hash_function;
    using base::insert_or_assign;
    using base::key_eq;
    using base::load_factor;
    using base::max_bucket_count;
    using base::try_emplace;
    using base::operator[];
    [[nodiscard]] float max_load_factor() const noexcept { return base::max_load_factor(); }

    /// There are buckets for N elements, always.
    void reserve(size_type elements) {
        if (elements > N)
            common::refuse_more();
    }
    void rehash(size_type buckets) {
        if (buckets > bucket_count())
            common::refuse_more();
    }

    void swap(inline_unordered_map& other) { this->swap_with(other); }
    friend void swap(inline_unordered_map& a, inline_unordered_map& b) { a.swap(b); }
};

} // namespace ARENITE_ABI
} // namespace arenite
