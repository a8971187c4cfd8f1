// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>
#include <arenite/core/detail/bits.hpp>
#include <arenite/freelist/detail/unit_map.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// Large holes of a region by their size, linked through themselves.
///
///     hole    | left | right | parent | length |..............................| length |
///     key     length and address: its first bit leads from the root to the left or right, its
///             second one from there, and so on
///     trees   one for each eighth of a doubling of the length
///
/// Use when:  holes of at least shortest_units are searched by size: those for which there are no
///            bits.
/// Cost:      O(log holes) if keys differ in their first bits; never more levels than a key has
///            bits: those of a length, except the ones shared by the whole tree, and those of a
///            place of 1 KiB in the region. There is no balancing.
/// Threads:   one at a time; the owner's rule.
///
/// A digital search tree: a node above was inserted earlier, and each subtree has the keys that
/// begin with certain bits. An erased node is replaced by any leaf below it.
class hole_tree {
public:
    using index = unit_map::index;
    static constexpr index none = unit_map::none;
    static constexpr index shortest_units = 64;

    hole_tree() noexcept {
        for (index& root : roots_)
            root = none;
    }

    /// Inserts a hole of the map whose length is stored in it.
    void insert(const unit_map& map, index hole) noexcept;

    /// Removes a hole of the tree; its length is unchanged.
    void erase(const unit_map& map, index hole) noexcept;

    /// The smallest hole of those with at least n units, the lowest among equals; or none.
    [[nodiscard]] index find(const unit_map& map, std::size_t n) const noexcept;

    /// Units of the longest hole; 0 without one. O(log holes).
    [[nodiscard]] index longest(const unit_map& map) const noexcept;

private:
    enum word : std::size_t { left, right, parent, length };

    static constexpr unsigned trees = 2 * bits::word_bits;

    [[nodiscard]] static unsigned tree_of(index units) noexcept;
    [[nodiscard]] static std::uint64_t key_of(const unit_map& map, index hole, index units,
                                              unsigned tree) noexcept;
    [[nodiscard]] static std::uint64_t rank_of(const unit_map& map, index hole) noexcept {
        return std::uint64_t{map.load(hole, length)} << 32 | hole;
    }
    [[nodiscard]] static index follow(const unit_map& map, index hole, word side) noexcept;
    [[nodiscard]] static index smallest_below(const unit_map& map, index hole) noexcept;
    [[nodiscard]] static index find_in(const unit_map& map, index root, index n,
                                       std::uint64_t key) noexcept;

    index roots_[trees];
    bits::word occupied_[trees / bits::word_bits] = {}; ///< one bit per tree
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
