// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>
#include <arenite/freelist/unit_map.hpp>

#include <cstddef>
#include <cstdint>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// By what a hole is chosen.
enum class hole_order : unsigned char {
    address, ///< the lowest that is large enough
    size     ///< the smallest that is large enough, the lowest among equals
};

/// Large holes of a region in one of two orders, linked through themselves.
///
///     hole    | left | right | parent | length | rank | longest |.......................| length |
///               within the subtree, where the order is that of addresses ^
///
/// Use when:  holes of at least two units are to be found by size: those for which there are no
///            bits.
/// Cost:      O(log holes) expected each.
/// Threads:   one at a time; the owner's rule.
///
/// A treap: a search tree that is also a heap by a number hashed from where the hole begins.
class hole_tree {
public:
    using index = unit_map::index;
    static constexpr index none = unit_map::none;

    explicit hole_tree(hole_order order) noexcept : order_{order} {}

    /// Enters a hole of the map that has its length noted.
    void insert(unit_map& map, index hole) noexcept;

    /// Takes a hole out that is in the tree; its length is still the same.
    void erase(unit_map& map, index hole) noexcept;

    /// A hole that is in the tree has become longer, at either end, with no other hole between: it
    /// begins at `now`, where its new length is noted. Requires hole_order::address.
    void grow(unit_map& map, index hole, index now) noexcept;

    /// The hole that the order chooses of those with at least n units, or none.
    [[nodiscard]] index find(const unit_map& map, std::size_t n) const noexcept;

    /// Units of the longest hole; 0 without one. O(1) by address, else O(log holes).
    [[nodiscard]] index longest(const unit_map& map) const noexcept;

private:
    enum word : std::size_t { left, right, parent, length, rank, below }; // below: the longest

    [[nodiscard]] static index rank_of(index hole) noexcept {
        const index number = (hole ^ hole >> 15) * 0x9e3779b1u;
        return number ^ number >> 16;
    }
    [[nodiscard]] bool precedes(const unit_map& map, index a, index b) const noexcept;
    [[nodiscard]] index longest_below(const unit_map& map, index hole) const noexcept;
    void refresh(unit_map& map, index hole) noexcept;
    void refresh_above(unit_map& map, index hole) noexcept;
    void link(unit_map& map, index above, word side, index to) noexcept;

    index root_ = none;
    hole_order order_;
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
