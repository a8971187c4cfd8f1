// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/check/detail/poison.hpp>
#include <arenite/check/detail/resource_text.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/detail/bits.hpp>
#include <arenite/core/region.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// A region cut into units of 16 bytes, and two bits per unit, stored apart from them, that mark
/// what begins and ends where: neither an allocation nor a hole needs a header to find its
/// neighbours.
///
///     units     | allocation  | hole            | allocation | hole | allocation ...
///     holes       0  0  0  0    1  0  0  0  1     0  0  0      1      0
///     starts      1  0  0  0    0  0  0  0  1     1  0  0      0      1
///                               ^ first     ^ last of a hole   ^ both: a hole of one unit
///
/// A hole stores its length in the last four bytes of its first and of its last unit; the other
/// twelve bytes of the first are its owner's, for links. Every unit is part of an allocation or of
/// a hole, and two holes are never neighbours: the owner joins them. A start that is no allocation
/// is marked behind the last unit, so that an upward search ends there.
///
/// With kept sizes units lie 8 bytes below the returned addresses, and those 8 bytes hold the
/// length of the allocation and a check on it.
///
/// Memory checkers see all of a hole, and those 8 bytes, as inaccessible, except while a word of
/// them is read or written here. Checked builds compare the lengths in holes with the bits.
///
/// Use when:  a resource serves any size from a region, freed in any order.
/// Cost:      each function O(1), unless it says otherwise.
/// Overhead:  2 bits for 16 bytes.
/// Limits:    2^32 - 2 units: just below 64 GiB.
/// Threads:   one at a time; the owner's rule.
class unit_map {
public:
    using index = std::uint32_t;
    static constexpr index none = ~index{0};
    static constexpr std::size_t unit_bytes = 16;
    static constexpr std::size_t most_units = std::size_t{none} - 1;
    static constexpr std::size_t header_bytes = 8; ///< of an allocation with a kept size

    /// The bits of 64 units.
    struct states {
        bits::word holes;
        bits::word starts;
    };

    unit_map() = default;

    /// Bytes for the bits of so many units.
    [[nodiscard]] static constexpr std::size_t bytes_for_bits(std::size_t units) noexcept {
        return (units / bits::word_bits + 1) * sizeof(states);
    }

    /// `units` units at `first`, which is aligned to 16, or for kept sizes 8 below such an address.
    /// `bits` has bytes_for_bits(units), aligned to 8, and is cleared. Messages name `label`, which
    /// must outlive it. O(units / 64).
    unit_map(std::byte* first, std::size_t units, void* bits, bool keeps_sizes,
             const resource_label& label) noexcept
        : states_{static_cast<states*>(bits)}, units_{first}, lead_{keeps_sizes ? header_bytes : 0},
          label_{&label}, count_{static_cast<index>(units)} {
        std::memset(bits, 0, bytes_for_bits(units));
        poison::no_access(units_, units * unit_bytes);
    }

    /// Units in a region of so many bytes, where needed(n) are the bytes of n units with their
    /// bookkeeping.
    template <class F>
    [[nodiscard]] static std::size_t units_in(std::size_t bytes, F needed) noexcept {
        std::size_t units = std::min(bytes / unit_bytes, most_units);
        while (units != 0 && needed(units) > bytes)
            units -= std::min(units, (needed(units) - bytes) / unit_bytes / 2 + 1);
        while (units < most_units && needed(units + 1) <= bytes)
            ++units;
        return units;
    }

    /// Writes into each page of the units, all of them free.
    void touch() const noexcept;

    /// The number of units.
    [[nodiscard]] index count() const noexcept { return count_; }
    [[nodiscard]] bool keeps_sizes() const noexcept { return lead_ != 0; }
    [[nodiscard]] std::size_t lead() const noexcept { return lead_; }

    /// Units that a request takes; for any size except those near the largest. 0 counts as 1.
    [[nodiscard]] ARENITE_INLINE std::size_t units_for(std::size_t bytes) const noexcept {
        return (bytes + (bytes == 0) + lead_ + (unit_bytes - 1)) / unit_bytes;
    }

    /// The address of an allocation at unit i, and back.
    [[nodiscard]] ARENITE_INLINE std::byte* address(index i) const noexcept {
        return units_ + lead_ + std::size_t{i} * unit_bytes;
    }
    [[nodiscard]] ARENITE_INLINE index index_of(const void* p) const noexcept {
        return static_cast<index>(offset_of(p) / unit_bytes);
    }
    /// Bytes from the first address that an allocation can have to p; huge below it.
    [[nodiscard]] ARENITE_INLINE std::size_t offset_of(const void* p) const noexcept {
        return address_of(p) - (address_of(units_) + lead_);
    }
    [[nodiscard]] bool contains(const void* p) const noexcept {
        return address_of(p) - address_of(units_) < std::size_t{count_} * unit_bytes;
    }

    /// The lowest unit at or above i whose allocation is aligned, by a multiple of 16.
    [[nodiscard]] std::size_t aligned(index i, std::size_t alignment) const noexcept {
        return i + padding_for(address(i), alignment) / unit_bytes;
    }

    // ---- what begins and ends ----

    [[nodiscard]] ARENITE_INLINE bool allocation_begins(index i) const noexcept {
        const states& s = at(i);
        return (s.starts & ~s.holes & bit(i)) != 0;
    }
    [[nodiscard]] ARENITE_INLINE bool hole_begins(index i) const noexcept {
        const states& s = at(i);
        return (s.holes & ~s.starts & bit(i)) != 0;
    }

    /// Length of the hole that ends directly below unit i; 0 if none does.
    [[nodiscard]] ARENITE_INLINE index hole_below(index i) const noexcept {
        if (i == 0 || (at(i - 1).holes & bit(i - 1)) == 0)
            return 0;
        if constexpr (checks_enabled)
            check_hole(begin_at_or_below(i - 1));
        return size_at(i - 1);
    }
    /// Length of the hole that begins at unit i; 0 if none does.
    [[nodiscard]] ARENITE_INLINE index hole_at(index i) const noexcept {
        return hole_begins(i) ? length_of(i) : 0;
    }
    /// Length of a hole.
    [[nodiscard]] ARENITE_INLINE index length_of(index hole) const noexcept {
        if constexpr (checks_enabled)
            check_hole(hole);
        return size_at(hole);
    }

    /// For checked builds: a word of the hole links to `to` (or none) in the owner's list, whose
    /// `word_of_to` must link back. If it does not, free memory was overwritten: ends in the
    /// contract handler.
    void check_link(index hole, index to, std::size_t word_of_to) const {
        if (to == none)
            return;
        if (!is_hole(to))
            overwritten(hole);
        if (load(to, word_of_to) != hole)
            overwritten(to);
    }
    [[nodiscard]] bool is_hole(index i) const noexcept { return i < count_ && hole_begins(i); }
    [[noreturn]] ARENITE_COLD void overwritten(index hole) const;

    ARENITE_INLINE void set_start(index i) noexcept { at(i).starts |= bit(i); }
    ARENITE_INLINE void clear_start(index i) noexcept { at(i).starts &= ~bit(i); }

    /// Makes n units a hole whose bits are all clear.
    ARENITE_INLINE void make_hole(index first, index n) noexcept {
        const index last = first + n - 1;
        note_hole(first, n);
        at(first).holes |= bit(first);
        if (last != first)
            set_both(last);
    }

    /// Clears the bits of a hole; the words stored in it may still be read.
    ARENITE_INLINE void clear_hole(index first, index n) noexcept {
        const index last = first + n - 1;
        at(first).holes &= ~bit(first);
        at(last).holes &= ~bit(last);
        at(last).starts &= last != first ? ~bit(last) : ~bits::word{0};
    }

    /// A word of a hole: 0 to 2 are its links, 3 its length; of a longer one also those behind.
    [[nodiscard]] ARENITE_INLINE index load(index i, std::size_t word) const noexcept {
        const poison::access words{unit(i) + word / 2 * 2 * sizeof(index), 2 * sizeof(index)};
        index value;
        std::memcpy(&value, unit(i) + word * sizeof(index), sizeof value);
        return value;
    }
    ARENITE_INLINE void store(index i, std::size_t word, index value) noexcept {
        const poison::access words{unit(i) + word / 2 * 2 * sizeof(index), 2 * sizeof(index)};
        std::memcpy(unit(i) + word * sizeof(index), &value, sizeof value);
    }
    [[nodiscard]] ARENITE_INLINE index size_at(index i) const noexcept {
        return load(i, size_word);
    }

    /// Makes n units of a hole an allocation: the first `gap` units of it and the rest behind
    /// remain holes (0: none), which the caller must insert into its index of holes.
    ARENITE_INLINE void cut(index hole, index length, index gap, index n) noexcept {
        const index i = hole + gap, end = i + n, last = hole + length - 1;
        if (gap == 0) {
            at(i).holes &= ~bit(i);
        } else {
            note_hole(hole, gap);
            if (gap > 1)
                set_both(i - 1);
        }
        at(i).starts |= bit(i);
        if (end <= last) {
            note_hole(end, last - end + 1);
            at(end).holes |= bit(end);
            if (end == last) // it was a last unit, and is a hole by itself
                at(end).starts &= ~bit(end);
        } else if (last != i) {
            clear_both(last);
        } else if (gap != 0) {
            at(last).holes &= ~bit(last); // a start now, where the hole had its last unit
        }
    }

    /// Makes a hole of the n units of the allocation at i, joined with the holes of `below` and
    /// `above` units beside it (0: none).
    ARENITE_INLINE void join(index i, index n, index below, index above) noexcept {
        const index end = i + n;
        const index first = i - below, last = end + above - 1;
        clear_start(i);
        if (below == 0)
            at(i).holes |= bit(i);
        else if (below > 1) // what was its last unit is one within
            clear_both(i - 1);
        if (above > 1)
            at(end).holes &= ~bit(end);
        if (last != first) {
            if (above <= 1) // a hole of one unit has a bit already
                set_both(last);
        }
        note_hole(first, last - first + 1);
    }

    /// For memory checkers, and in checked builds with patterns: p is allocated with `bytes`; the n
    /// units of the allocation at i are free.
    ARENITE_INLINE static void begin_life(std::byte* p, std::size_t bytes) noexcept {
        poison::undefined(p, bytes + (bytes == 0));
        if constexpr (checks_enabled) {
            std::memset(p, 0xCD, bytes); // never written by the user
            poison::undefined(p, bytes);
        }
    }
    ARENITE_INLINE void end_life(index i, index n) noexcept {
        if constexpr (checks_enabled) {
            const std::size_t bytes = std::size_t{n} * unit_bytes - lead_;
            poison::undefined(address(i), bytes);
            std::memset(address(i), 0xDD, bytes);
        }
        conceal(i, n);
    }

    /// These units must not be accessed any more.
    ARENITE_INLINE void conceal(index first, index n) noexcept {
        poison::no_access(unit(first), std::size_t{n} * unit_bytes);
    }

    // ---- within 64 units ----

    /// The lowest hole that begins in units [64 * block, 64 * block + 64) and has exactly n units,
    /// or none. n is less than 64.
    [[nodiscard]] index hole_of(std::size_t block, std::size_t n) const noexcept;

    /// The lowest with at least n units, 64 or less.
    [[nodiscard]] index hole_from(std::size_t block, std::size_t n) const noexcept;

    /// Units of the longest hole that begins there; 0 if none does.
    [[nodiscard]] index longest_hole(std::size_t block) const noexcept;

    /// The highest hole that begins there; one does.
    [[nodiscard]] index last_hole(std::size_t block) const noexcept {
        return static_cast<index>((block + 1) * bits::word_bits - 1 -
                                  static_cast<std::size_t>(std::countl_zero(hole_bits(block))));
    }

    /// The holes that begin there, as bits.
    [[nodiscard]] bits::word hole_bits(std::size_t block) const noexcept {
        return states_[block].holes & ~states_[block].starts;
    }

    // ---- kept sizes ----

    ARENITE_INLINE void note_size(index i, index n) noexcept {
        const index words[2] = {n, check_on(i, n)};
        const poison::access header{unit(i), header_bytes};
        std::memcpy(unit(i), words, header_bytes);
    }
    /// Units of the allocation at i; none if its header was overwritten.
    [[nodiscard]] ARENITE_INLINE index noted_size(index i) const noexcept {
        const poison::access header{unit(i), header_bytes};
        index words[2];
        std::memcpy(words, unit(i), header_bytes);
        return words[1] == check_on(i, words[0]) ? words[0] : none;
    }

    /// True if an allocation of n units lies at p, as far as can be checked quickly; in checked
    /// builds, and with kept sizes, for certain. Everything from unit `end` on is free.
    [[nodiscard]] ARENITE_INLINE bool is_allocation(const void* p, std::size_t n,
                                                    index end) const noexcept {
        const std::size_t offset = offset_of(p);
        const std::size_t i = offset / unit_bytes, behind = i + n;
        if (i >= end || offset % unit_bytes != 0 || n - 1 >= end - i) // 0: too large to be counted
            return false;
        const states& here = states_[i / bits::word_bits];
        const states& there = states_[behind / bits::word_bits];
        if (((here.starts & ~here.holes) >> i % bits::word_bits &
             (there.starts ^ there.holes) >> behind % bits::word_bits & 1) == 0)
            return false;
        if (keeps_sizes())
            return noted_size(static_cast<index>(i)) == n;
        return !checks_enabled || next_begin(static_cast<index>(i)) == behind;
    }

    /// Units of the allocation at p, whose size is kept; none if it is not an allocation.
    [[nodiscard]] index units_of(const void* p, index end) const noexcept {
        const index i = index_of(p);
        if (offset_of(p) >= std::size_t{end} * unit_bytes || !allocation_begins(i))
            return none;
        const index n = noted_size(i);
        return is_allocation(p, n, end) ? n : none;
    }

    // ---- slowly, for reports and messages ----

    /// Calls f(const std::byte*, bytes) for each allocation below unit `end`, in address order.
    template <class F>
    void for_each_allocation(index end, F f) const {
        for (index i = 0, next; i != end; i = next) {
            next = next_begin(i);
            if (allocation_begins(i))
                f(static_cast<const std::byte*>(address(i)),
                  std::size_t{next - i} * unit_bytes - lead_);
        }
    }

    /// All of [begin, begin + bytes), which contains the units; those from `end` on are free.
    void list_regions(region_sink& sink, const std::byte* begin, std::size_t bytes,
                      index end) const;

    /// Where the next allocation or hole above i begins. O(units until then / 64).
    [[nodiscard]] index next_begin(index i) const noexcept;
    /// The highest start at or below i. O(units until there / 64).
    [[nodiscard]] index begin_at_or_below(index i) const noexcept;

    /// Ends in the contract handler, with what is known of p, which the caller wanted to free or
    /// resize as `bytes` bytes; `end` is where the last allocation or hole ends.
    [[noreturn]] ARENITE_COLD void refuse(const void* p, std::size_t bytes, index end) const;

    /// Also ends there: there is no region that p could lie in.
    [[noreturn]] ARENITE_COLD static void refuse_foreign(const resource_label& label, const void* p,
                                                         std::size_t bytes);

private:
    static constexpr std::size_t size_word = 3;

    /// The allocation or hole directly below one, for messages.
    struct neighbour {
        const char* what;
        const void* begin;
    };
    [[nodiscard]] neighbour below_of(index i) const noexcept;

    [[nodiscard]] static bits::word bit(index i) noexcept {
        return bits::word{1} << (i % bits::word_bits);
    }
    ARENITE_INLINE void clear_both(index i) noexcept {
        at(i).holes &= ~bit(i);
        at(i).starts &= ~bit(i);
    }
    ARENITE_INLINE void set_both(index i) noexcept {
        states& s = at(i);
        s.holes |= bit(i);
        s.starts |= bit(i);
    }
    /// The length of a hole, at both ends.
    ARENITE_INLINE void note_hole(index first, index n) noexcept {
        store(first, size_word, n);
        store(first + n - 1, size_word, n);
    }
    /// In checked builds: that a hole shown by the bits stores its length at both ends.
    void check_hole(index hole) const {
        const index n = next_begin(hole) - hole;
        if (size_at(hole) != n || size_at(hole + n - 1) != n)
            overwritten(hole);
    }
    [[nodiscard]] states& at(index i) const noexcept { return states_[i / bits::word_bits]; }
    [[nodiscard]] std::byte* unit(index i) const noexcept {
        return units_ + std::size_t{i} * unit_bytes;
    }
    [[nodiscard]] static index check_on(index i, index n) noexcept {
        return (n ^ i * 0x9e3779b1u) + 0x7f4a7c15u;
    }

    states* states_ = nullptr;
    std::byte* units_ = nullptr;
    std::size_t lead_ = 0;
    const resource_label* label_ = nullptr;
    index count_ = 0;
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
