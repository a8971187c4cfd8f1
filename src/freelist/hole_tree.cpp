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

// Lets `above` (none: the root) lead to `to` on one side.
void hole_tree::link(unit_map& map, index above, word side, index to) noexcept {
    if (above == none)
        root_ = to;
    else
        map.store(above, side, to);
    if (to != none)
        map.store(to, parent, above);
}

void hole_tree::insert(unit_map& map, index hole) noexcept {
    poison::defined(map.address(hole), 2 * unit_map::unit_bytes - map.lead());
    const index units = map.load(hole, length);
    const index mine = rank_of(hole);
    index above = none, h = root_;
    word side = left;
    while (h != none && map.load(h, rank) >= mine) {
        if (order_ == hole_order::address && map.load(h, below) < units)
            map.store(h, below, units);
        above = h;
        side = precedes(map, hole, h) ? left : right;
        h = map.load(h, side);
    }
    link(map, above, side, hole);
    map.store(hole, rank, mine);
    map.store(hole, below, units);
    // What stood there is cut into what lies before the hole and what lies behind it: h goes down
    // the cut, and what it leaves hangs on the right edge of the one or the left edge of the other.
    index low = hole, high = hole;
    word low_side = left, high_side = right;
    while (h != none) {
        if (precedes(map, h, hole)) {
            link(map, low, low_side, h);
            low = h;
            h = map.load(h, low_side = right);
        } else {
            link(map, high, high_side, h);
            high = h;
            h = map.load(h, high_side = left);
        }
    }
    map.store(low, low_side, none);
    map.store(high, high_side, none);
    if (order_ == hole_order::address) {
        for (; low != hole; low = map.load(low, parent))
            refresh(map, low);
        for (; high != hole; high = map.load(high, parent))
            refresh(map, high);
        refresh(map, hole);
    }
}

void hole_tree::erase(unit_map& map, index hole) noexcept {
    // Its subtrees are joined from above, the higher rank first.
    index l = map.load(hole, left), r = map.load(hole, right);
    const index top = map.load(hole, parent);
    index above = top;
    word side = top != none && map.load(top, left) == hole ? left : right;
    while (l != none && r != none) {
        const bool takes_left = map.load(l, rank) > map.load(r, rank);
        const index h = takes_left ? l : r;
        link(map, above, side, h);
        above = h;
        side = takes_left ? right : left;
        (takes_left ? l : r) = map.load(h, side);
    }
    link(map, above, side, l != none ? l : r);
    if (order_ == hole_order::size)
        return;
    for (; above != top; above = map.load(above, parent))
        refresh(map, above);
    refresh_above(map, top);
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
        const index above = map.load(hole, parent);
        link(map, above, above != none && map.load(above, left) == hole ? left : right, now);
        map.store(now, left, l);
        map.store(now, right, r);
        map.store(now, rank, map.load(hole, rank));
        map.store(now, below, map.load(hole, below));
        for (const index child : {l, r})
            if (child != none)
                map.store(child, parent, now);
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
