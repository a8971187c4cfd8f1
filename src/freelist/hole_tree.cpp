// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Digital search trees of holes by length and address, whose nodes lie in the holes; no tree is
// balanced. First which tree and which bits lead to a hole, then entering and erasing one, then the
// search for the smallest that is large enough. In checked builds every step compares a link with
// the one that leads back: memory that was written to after its free is reported here rather than
// followed.
#include <arenite/freelist/detail/hole_tree.hpp>

#include <algorithm>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

namespace {

constexpr unsigned shortest_width = 6; // of the number shortest_units, less its first bit
constexpr unsigned known_bits = 3;     // of a length, behind its first bit: those of its tree

} // namespace

// A tree for each eighth of a doubling; the last one has all lengths above.
unsigned hole_tree::tree_of(index units) noexcept {
    const unsigned width = 31 - static_cast<unsigned>(std::countl_zero(units));
    return std::min((width - shortest_width) << known_bits |
                        (units >> (width - known_bits) & ((1u << known_bits) - 1)),
                    trees - 1);
}

// The bits that distinguish a hole from the others in its tree, from the highest on.
std::uint64_t hole_tree::key_of(const unit_map& map, index hole, index units,
                                unsigned tree) noexcept {
    const auto spare = static_cast<unsigned>(std::countl_zero(std::uint64_t{map.count()}));
    const unsigned length_bits =
        tree == trees - 1 ? 32 : (tree >> known_bits) + shortest_width - known_bits;
    // Bits that all holes of the tree have in common are shifted out, from both parts: the walk
    // begins with a bit that can differ.
    return (std::uint64_t{units} << (64 - spare) | hole) << (spare - length_bits);
}

ARENITE_INLINE hole_tree::index hole_tree::follow(const unit_map& map, index hole,
                                                  word side) noexcept {
    const index to = map.load(hole, side);
    if constexpr (checks_enabled)
        map.check_link(hole, to, parent);
    return to;
}

/// It goes as deep as the first place that is free on its way: keys decide left or right, never the
/// order of holes.
void hole_tree::insert(const unit_map& holes, index hole) noexcept {
    unit_map map = holes; // which the compiler keeps in registers across writes into holes
    const index units = map.load(hole, length);
    const unsigned tree = tree_of(units);
    std::uint64_t key = key_of(map, hole, units, tree);
    index above = none;
    word side = left;
    for (index h = roots_[tree]; h != none; h = follow(map, h, side)) {
        above = h;
        side = key >> 63 != 0 ? right : left;
        key <<= 1;
    }
    if (above != none) {
        map.store(above, side, hole);
    } else {
        roots_[tree] = hole;
        occupied_[tree / bits::word_bits] |= bits::word{1} << tree % bits::word_bits;
    }
    map.store(hole, left, none);
    map.store(hole, right, none);
    map.store(hole, parent, above);
}

void hole_tree::erase(const unit_map& holes, index hole) noexcept {
    unit_map map = holes; // as in insert
    const index above = map.load(hole, parent);
    index leaf = hole;
    for (index h = hole; h != none;) {
        leaf = h;
        h = follow(map, leaf, left);
        if (h == none)
            h = follow(map, leaf, right);
    }
    // Any leaf below may take the place of the erased node: its key begins with the bits that lead
    // to this place, and the tree needs no more than that.
    index heir = none;
    if (leaf != hole) {
        heir = leaf;
        const index above_leaf = map.load(leaf, parent);
        map.store(above_leaf, map.load(above_leaf, left) == leaf ? left : right, none);
        for (const word side : {left, right}) {
            const index child = map.load(hole, side);
            map.store(heir, side, child);
            if (child != none)
                map.store(child, parent, heir);
        }
        map.store(heir, parent, above);
    }
    if (above != none) {
        if constexpr (checks_enabled)
            if (!map.is_hole(above) ||
                (map.load(above, left) != hole && map.load(above, right) != hole))
                map.overwritten(hole);
        map.store(above, map.load(above, left) == hole ? left : right, heir);
    } else {
        const unsigned tree = tree_of(map.load(hole, length));
        roots_[tree] = heir;
        if (heir == none)
            occupied_[tree / bits::word_bits] &= ~(bits::word{1} << tree % bits::word_bits);
    }
}

hole_tree::index hole_tree::find(const unit_map& map, std::size_t n) const noexcept {
    if (n > map.count())
        return none;
    const index units = std::max(static_cast<index>(n), shortest_units);
    const unsigned tree = tree_of(units);
    if (roots_[tree] != none) {
        const index found = find_in(map, roots_[tree], units, key_of(map, 0, units, tree));
        if (found != none)
            return found;
    }
    // All of a later tree are long enough.
    const std::size_t later = bits::next_set(occupied_, tree + 1, trees);
    return later == trees ? none : smallest_below(map, roots_[later]);
}

// Along the key of what is asked for: long enough are some of those passed, and all to the right,
// of which the latest come first.
hole_tree::index hole_tree::find_in(const unit_map& map, index root, index n,
                                    std::uint64_t key) noexcept {
    const std::uint64_t wanted = std::uint64_t{n} << 32;
    std::uint64_t best = ~wanted; // above what is wanted; what ranks below wraps around
    index later = none;
    for (index h = root; h != none; key <<= 1) {
        best = std::min(best, rank_of(map, h) - wanted);
        const index r = follow(map, h, right);
        if (key >> 63 != 0) {
            h = r;
        } else {
            later = r != none ? r : later;
            h = follow(map, h, left);
        }
    }
    if (later != none)
        best = std::min(best, rank_of(map, smallest_below(map, later)) - wanted);
    return static_cast<index>(best);
}

hole_tree::index hole_tree::smallest_below(const unit_map& map, index hole) noexcept {
    std::uint64_t best = ~std::uint64_t{0};
    while (hole != none) {
        best = std::min(best, rank_of(map, hole));
        const index l = follow(map, hole, left);
        hole = l != none ? l : follow(map, hole, right);
    }
    return static_cast<index>(best);
}

hole_tree::index hole_tree::longest(const unit_map& map) const noexcept {
    const std::size_t last = bits::last_set(occupied_, 0, trees);
    if (last == trees)
        return 0;
    index h = roots_[last];
    index longest = 0;
    // Lengths rise to the right, but a node above may be longer than all below it: each one passed
    // is compared.
    while (h != none) {
        longest = std::max(longest, map.load(h, length));
        const index r = follow(map, h, right);
        h = r != none ? r : follow(map, h, left);
    }
    return longest;
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
