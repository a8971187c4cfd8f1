// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>
#include <arenite/core/detail/bits.hpp>
#include <arenite/freelist/detail/unit_map.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// One region of a tlsf_resource: it lies at the start of its own memory.
///
///     memory   | tlsf_region | heads of lists | bits | units: allocations and holes |
///     rows     0 1 0 1          a bit a doubling of the length: it has holes
///     columns  0 1 0 ... 0      for each row 32 bits: which steps of it have holes
///     heads    | 5 | - | 9 |    a list for each step, the latest freed first
///
/// Lengths below 64 units (1 KiB) have a list each; above, each doubling is divided into 32 steps.
/// A hole is in the list of the step that its length reaches; a request checks the latest hole of
/// its own step, then begins at the step whose holes are all long enough.
///
/// Cost:      everything O(1), without a loop except in reports.
/// Overhead:  2 bits for 16 bytes; 160 bytes and 128 for each doubling of the size above 512 bytes.
/// Threads:   one at a time; the owner's rule.
class tlsf_region {
public:
    using index = unit_map::index;
    static constexpr index none = unit_map::none;
    static constexpr unsigned columns = 32;
    static constexpr unsigned most_rows = 28;

    struct options {
        bool keeps_sizes;
        bool from_upstream; ///< for its owner's use
        bool prefault;      ///< touch its pages
    };

    /// A region in memory of any size and alignment; nullptr if it is too small for its bookkeeping
    /// and one unit. All of it is one hole. O(bytes / 1 KiB).
    [[nodiscard]] static tlsf_region* make(std::span<std::byte> memory, options o,
                                           const resource_label& label) noexcept;

    /// Bytes that are enough for a region of so many units at any address; and units that so many
    /// bytes are sure to hold, 0 if they are too few.
    [[nodiscard]] static std::size_t bytes_for(std::size_t units) noexcept;
    [[nodiscard]] static std::size_t units_in(std::size_t bytes) noexcept;

    tlsf_region(const tlsf_region&) = delete;
    tlsf_region& operator=(const tlsf_region&) = delete;

    [[nodiscard]] const unit_map& map() const noexcept { return map_; }
    [[nodiscard]] std::span<std::byte> memory() const noexcept { return memory_; }
    [[nodiscard]] bool from_upstream() const noexcept { return from_upstream_; }
    [[nodiscard]] bool contains(const void* p) const noexcept {
        return address_of(p) - address_of(memory_.data()) < memory_.size();
    }
    [[nodiscard]] bool empty() const noexcept { return map_.hole_at(0) == map_.count(); }

    /// A hole of at least n units, or none.
    [[nodiscard]] ARENITE_INLINE index find(std::size_t n) const noexcept;

    /// Makes n units of a hole an allocation, at the lowest aligned address in it, if there is
    /// room: returns where it begins, or none.
    [[nodiscard]] ARENITE_INLINE index take(index hole, index n, std::size_t alignment) noexcept;

    /// Makes n units somewhere an allocation: returns where it begins, or none.
    [[nodiscard]] ARENITE_INLINE index claim(std::size_t n, std::size_t alignment) noexcept {
        index hole = find(n + (alignment - 1) / unit_map::unit_bytes); // room wherever it lies
        if (hole == none) [[unlikely]] {
            if (alignment > unit_map::unit_bytes)
                hole = find(n); // perhaps this one lies right
            if (hole == none)
                return none;
        }
        return take(hole, static_cast<index>(n), alignment);
    }

    /// Frees the n units of an allocation; they join the holes beside them.
    ARENITE_INLINE void release(index i, index n) noexcept;

    /// Resizes the allocation of n units at i to `wanted` units, if there is room.
    [[nodiscard]] bool resize(index i, index n, std::size_t wanted) noexcept;

    void note_size(index i, index n) noexcept { map_.note_size(i, n); }

    /// Units of the latest hole of the longest step that has one; 0 if nothing is free.
    [[nodiscard]] index long_hole() const noexcept {
        return rows_ == 0
                   ? 0
                   : map_.size_at(
                         heads_[highest(rows_) * columns + highest(columns_[highest(rows_)])]);
    }

    /// n, rounded up to a step: shorter holes may fail to serve a request of n.
    [[nodiscard]] static constexpr std::size_t round_up(std::size_t n) noexcept {
        const std::size_t step = n < 2 * columns ? 1 : std::bit_floor(n) / columns;
        return (n + step - 1) / step * step;
    }

private:
    tlsf_region(const unit_map& map, std::span<std::byte> memory, index* heads, options o) noexcept;

    [[nodiscard]] static unsigned rows_for(std::size_t units) noexcept {
        return step_of(static_cast<index>(units)) / columns + 1;
    }
    [[nodiscard]] static unsigned highest(std::uint32_t w) noexcept {
        return 31 - static_cast<unsigned>(std::countl_zero(w));
    }
    /// The step that n units reach, counted through all rows. A row below 64 units has a step a
    /// unit; from then on a shift by one more a row brings n to 32 ... 63.
    [[nodiscard]] ARENITE_INLINE static unsigned step_of(index n) noexcept {
        const unsigned shift = highest(n | columns) - highest(columns);
        return shift * columns + (n >> shift);
    }
    [[nodiscard]] static std::uint32_t bit(unsigned i) noexcept { return std::uint32_t{1} << i; }
    // With a copy of map_, which the compiler keeps in registers across writes into holes.
    ARENITE_INLINE void insert(unit_map& map, index hole, index n) noexcept;
    ARENITE_INLINE void erase(unit_map& map, index hole, index n) noexcept;
    ARENITE_INLINE void make_hole(unit_map& map, index hole, index n) noexcept {
        map.make_hole(hole, n);
        insert(map, hole, n);
    }
    ARENITE_INLINE void remove(unit_map& map, index hole, index n) noexcept {
        erase(map, hole, n);
        map.clear_hole(hole, n);
    }

    static constexpr std::size_t next = 0, previous = 1; // words of a hole

    unit_map map_;
    std::uint32_t rows_ = 0;
    std::uint32_t columns_[most_rows] = {};
    index* heads_;
    std::span<std::byte> memory_;
    bool from_upstream_;
};

tlsf_region::index tlsf_region::find(std::size_t n) const noexcept {
    if (n > map_.count())
        return none;
    const unsigned own = step_of(static_cast<index>(n));
    unsigned row = own / columns;
    const std::uint32_t here = columns_[row];
    if ((here & bit(own % columns)) != 0) {
        const index latest = heads_[own];
        if (map_.size_at(latest) >= n) // below 1 KiB it always is
            return latest;
    }
    // All holes of the steps above are long enough.
    std::uint32_t above = here & ~std::uint32_t{1} << own % columns;
    if (above == 0) {
        const std::uint32_t rows = rows_ & ~std::uint32_t{1} << row;
        if (rows == 0)
            return none;
        row = static_cast<unsigned>(std::countr_zero(rows));
        above = columns_[row];
    }
    return heads_[row * columns + static_cast<unsigned>(std::countr_zero(above))];
}

void tlsf_region::insert(unit_map& map, index hole, index n) noexcept {
    const unsigned s = step_of(n);
    const index old = heads_[s];
    heads_[s] = hole;
    map.store(hole, next, old);
    map.store(hole, previous, none);
    if (old != none) {
        map.store(old, previous, hole);
    } else {
        rows_ |= bit(s / columns);
        columns_[s / columns] |= bit(s % columns);
    }
}

void tlsf_region::erase(unit_map& map, index hole, index n) noexcept {
    const index after = map.load(hole, next), before = map.load(hole, previous);
    if constexpr (checks_enabled) {
        map.check_link(hole, after, previous);
        map.check_link(hole, before, next);
        if ((before == none) != (heads_[step_of(n)] == hole))
            map.overwritten(hole);
    }
    if (after != none)
        map.store(after, previous, before);
    if (before != none) {
        map.store(before, next, after);
        return;
    }
    const unsigned s = step_of(n);
    heads_[s] = after;
    if (after == none && (columns_[s / columns] &= ~bit(s % columns)) == 0)
        rows_ &= ~bit(s / columns);
}

tlsf_region::index tlsf_region::take(index hole, index n, std::size_t alignment) noexcept {
    unit_map map = map_;
    const index length = map.length_of(hole);
    index gap = 0;
    if (alignment > unit_map::unit_bytes) {
        const std::size_t bytes = padding_for(map.address(hole), alignment);
        if (bytes / unit_map::unit_bytes + n > length)
            return none;
        gap = static_cast<index>(bytes / unit_map::unit_bytes);
    }
    erase(map, hole, length);
    map.cut(hole, length, gap, n);
    const index i = hole + gap;
    if (gap != 0)
        insert(map, hole, gap);
    if (const index rest = length - gap - n; rest != 0)
        insert(map, i + n, rest);
    return i;
}

void tlsf_region::release(index i, index n) noexcept {
    unit_map map = map_;
    map.end_life(i, n);
    const index below = map.hole_below(i), above = map.hole_at(i + n);
    if (below != 0)
        erase(map, i - below, below);
    if (above != 0)
        erase(map, i + n, above);
    map.join(i, n, below, above);
    insert(map, i - below, below + n + above);
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
