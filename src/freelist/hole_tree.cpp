// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/freelist/hole_tree.hpp>

#include <arenite/check/poison.hpp>

#include <algorithm>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

bool hole_tree::precedes(const unit_map& map, index a, index b) const noexcept {
    if (order_ == hole_order::size) {
        const index of_a = map.load(a, length), of_b = map.load(b, length);
        if (of_a != of_b)
            return of_a < of_b;
    }
    return a < b;
}

hole_tree::index hole_tree::longest_below(const unit_map& map, index hole) const noexcept {
    return hole == none ? 0 : map.load(hole, below);
}

void hole_tree::refresh(unit_map& map, index hole) noexcept {
    if (order_ == hole_order::address)
        map.store(hole, below,
                  std::max({map.load(hole, length), longest_below(map, map.load(hole, left)),
                            longest_below(map, map.load(hole, right))}));
}

// Lets the hole above `hole` lead to `by` (or to none) instead.
void hole_tree::replace(unit_map& map, index hole, index by) noexcept {
    const index above = map.load(hole, parent);
    if (above == none)
        root_ = by;
    else
        map.store(above, map.load(above, left) == hole ? left : right, by);
    if (by != none)
        map.store(by, parent, above);
}

void hole_tree::rotate_up(unit_map& map, index hole) noexcept {
    const index above = map.load(hole, parent);
    const bool is_left = map.load(above, left) == hole;
    const word inner = is_left ? right : left;
    const index moved = map.load(hole, inner);
    replace(map, above, hole);
    map.store(hole, inner, above);
    map.store(above, parent, hole);
    map.store(above, is_left ? left : right, moved);
    if (moved != none)
        map.store(moved, parent, above);
    refresh(map, above);
    refresh(map, hole);
}

void hole_tree::insert(unit_map& map, index hole) noexcept {
    poison::defined(map.address(hole), 2 * unit_map::unit_bytes - map.lead());
    const index units = map.load(hole, length);
    const index mine = rank_of(hole);
    index above = none;
    word side = left;
    for (index h = root_; h != none; h = map.load(h, side)) {
        above = h;
        side = precedes(map, hole, h) ? left : right;
        if (order_ == hole_order::address && map.load(h, below) < units)
            map.store(h, below, units);
    }
    map.store(hole, left, none);
    map.store(hole, right, none);
    map.store(hole, parent, above);
    map.store(hole, rank, mine);
    map.store(hole, below, units);
    if (above == none)
        root_ = hole;
    else
        map.store(above, side, hole);
    while (map.load(hole, parent) != none && map.load(map.load(hole, parent), rank) < mine)
        rotate_up(map, hole);
}

void hole_tree::erase(unit_map& map, index hole) noexcept {
    index l = map.load(hole, left), r = map.load(hole, right);
    for (; l != none && r != none; l = map.load(hole, left), r = map.load(hole, right))
        rotate_up(map, map.load(l, rank) > map.load(r, rank) ? l : r);
    const index above = map.load(hole, parent);
    replace(map, hole, l != none ? l : r);
    if (order_ == hole_order::address)
        refresh_above(map, above);
}

// From `hole` up, as far as anything changes.
void hole_tree::refresh_above(unit_map& map, index hole) noexcept {
    for (; hole != none; hole = map.load(hole, parent)) {
        const index before = map.load(hole, below);
        refresh(map, hole);
        if (map.load(hole, below) == before)
            return;
    }
}

// Its rank stays, wherever it begins.
void hole_tree::grow(unit_map& map, index hole, index now) noexcept {
    if (now != hole) {
        poison::defined(map.address(now), 2 * unit_map::unit_bytes - map.lead());
        const index l = map.load(hole, left), r = map.load(hole, right);
        replace(map, hole, now);
        map.store(now, left, l);
        map.store(now, right, r);
        map.store(now, rank, map.load(hole, rank));
        map.store(now, below, map.load(hole, below));
        for (const index child : {l, r})
            if (child != none)
                map.store(child, parent, now);
        if (root_ == now)
            map.store(now, parent, none);
    }
    refresh_above(map, now);
}

hole_tree::index hole_tree::find(const unit_map& map, std::size_t n) const noexcept {
    index found = none;
    if (order_ == hole_order::size) {
        for (index h = root_; h != none;) {
            const bool fits = map.load(h, length) >= n;
            found = fits ? h : found;
            h = map.load(h, fits ? left : right);
        }
        return found;
    }
    if (longest_below(map, root_) < n)
        return none;
    for (index h = root_;;) {
        if (const index l = map.load(h, left); longest_below(map, l) >= n)
            h = l;
        else if (map.load(h, length) >= n)
            return h;
        else
            h = map.load(h, right);
    }
}

hole_tree::index hole_tree::longest(const unit_map& map) const noexcept {
    if (order_ == hole_order::address || root_ == none)
        return longest_below(map, root_);
    index h = root_;
    while (map.load(h, right) != none)
        h = map.load(h, right);
    return map.load(h, length);
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
