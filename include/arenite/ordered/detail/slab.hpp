// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/alignment.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/detail/atomic_access.hpp>
#include <arenite/core/detail/bits.hpp>
#include <arenite/core/detail/extremes.hpp>
#include <arenite/ordered/detail/size_class.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

class slab_class;

/// The unit in which a block is given to slabs.
inline constexpr std::size_t unit_bytes = 1024;

/// A run of units of one block, cut into slots of one size class; or a page of it, see slab_page.
///
///     block   | unit | unit | unit | unit | unit | unit | unit | ...
///     slabs          |  64 slots of 16    |  21 of 48   |
///     words          | 1..1 | 1..1 | 1..1 |  001..1   - |             1: free
///
/// Invariant: used() == slots - bits that are set, but for the slab that its class allocates from:
/// there what is handed out is not counted, until the slab is left and its bits are.
///
/// An object may have several slots that lie side by side: see joined_slots.hpp.
struct alignas(64) slab {
    std::uintptr_t tag;      ///< of its owner at this place, see tag_of; 0 for what is no slab
    std::uint32_t begin;     ///< bytes from the start of the block to the first slot
    std::uint32_t inverse;   ///< of the size of a slot: see size_class::inverse, index_in_page
    std::int32_t frees_left; ///< until one is reported to the heap: see alarm_at
    std::int32_t alarm;      ///< `used()` at which it is reported
    std::uint16_t slot_bytes;
    std::uint16_t slack; ///< a request takes more than slot_bytes less this
    std::uint16_t slots;
    std::uint16_t words_behind; ///< how far its words of bits are from here, in words
    std::uint16_t state;        ///< a set of slab_state
    std::uint16_t below; ///< for address_list, as are left and right: among the slabs of a class
    std::uint8_t units;
    slab* left;
    slab* right;
    slab_class* its_class; ///< that of its heap which counts it: see slab_classes::of

    /// True for a page of its block; else it has units of a block that has a slab_block, where its
    /// words lie further away.
    [[nodiscard]] ARENITE_INLINE bool is_page() const noexcept {
        return words_behind == words_behind_page;
    }
    static constexpr std::uint16_t words_behind_page = 64 / sizeof(bits::word);

    /// True if a request of so many bytes takes a slot of this size. The subtraction is unsigned: a
    /// size above the slot's fails the comparison, too.
    [[nodiscard]] ARENITE_INLINE bool is_slot_for(std::size_t bytes) const noexcept {
        return std::size_t{slot_bytes} - bytes < slack;
    }

    /// See size_class; `single` for one slot of any number of units, `none` for what is no slab.
    [[nodiscard]] unsigned slot_class() const noexcept {
        if (inverse != 0)
            return size_class::computed(slot_bytes);
        return slot_bytes != 0 ? size_class::single : size_class::none;
    }

    /// Slots in use.
    [[nodiscard]] std::int32_t used() const noexcept { return alarm + frees_left; }
    void add_used(std::int32_t count) noexcept { frees_left += count; }

    /// A free that brings used() to the alarm or below is reported to the heap: enough is free to
    /// refill, half is, all is, or half of what was in use when no run of slots was found.
    void alarm_at(std::int32_t now_used, std::int32_t at) noexcept {
        alarm = at;
        frees_left = now_used - at;
    }
    [[nodiscard]] ARENITE_INLINE bool is_due() const noexcept { return frees_left <= 0; }

    /// The word that marks this place as a slab of that owner. It depends on the place, and is odd,
    /// so that no pointer and nothing else that lies in an object is taken for it; and on the kind,
    /// since the description of a page may lie where that of units is looked for, and the contrary.
    [[nodiscard]] ARENITE_INLINE std::uintptr_t tag_of(const void* owner) const noexcept {
        return tag_of(owner, is_page());
    }
    /// That of one with joined slots, whose frees go another way.
    [[nodiscard]] ARENITE_INLINE std::uintptr_t tag_of_joined(const void* owner) const noexcept {
        return tag_of(owner) + joined_mark;
    }

    /// The tag, for any thread while an object of the slab lives; a thread that sees one of joined
    /// slots sees which are joined.
    [[nodiscard]] ARENITE_INLINE std::uintptr_t tag_now() const noexcept {
        return atomic_load(tag, std::memory_order_acquire);
    }

    /// True if this is a slab of that owner, which asks, and has no joined slots.
    [[nodiscard]] bool is_of(const void* asking) const noexcept { return tag == tag_of(asking); }

    /// True if such a slab of this kind is here. Where there is none at all, but memory of an
    /// object, other threads may be writing: to ThreadSanitizer that would be a race.
    template <bool page>
    [[nodiscard]] ARENITE_INLINE bool is_here(const void* asking) const noexcept {
#if ARENITE_HAS_TSAN
        return glance(tag) == tag_of(asking, page);
#else
        return tag == tag_of(asking, page);
#endif
    }

    /// is_here, asked by any thread while an object of the slab lives.
    template <bool page>
    [[nodiscard]] ARENITE_INLINE bool is_here_now(const void* asking) const noexcept {
        return glance(tag) == tag_of(asking, page);
    }

    /// True if a slab of this kind is here, with joined slots or without; to any thread.
    template <bool page>
    [[nodiscard]] bool is_any_here(const void* asking) const noexcept {
#if ARENITE_HAS_TSAN
        const std::uintptr_t seen = glance(tag);
#else
        const std::uintptr_t seen = tag_now();
#endif
        const std::uintptr_t expected = tag_of(asking, page);
        return seen == expected || seen == expected + joined_mark;
    }
    [[nodiscard]] bool is_any_of(const void* asking) const noexcept {
        return is_page() ? is_any_here<true>(asking) : is_any_here<false>(asking);
    }
    [[nodiscard]] bool is_none() const noexcept { return tag == 0; }

    void set_tag(std::uintptr_t now) noexcept { atomic_store(tag, now, std::memory_order_release); }

    /// The number of its first word among those of the block: a word a unit, as its first unit; in
    /// a page 64.
    [[nodiscard]] ARENITE_INLINE std::size_t first_word() const noexcept {
        return is_page() ? begin / page_bytes * full_units : begin / unit_bytes;
    }
    [[nodiscard]] std::size_t words() const noexcept {
        return (slots + bits::word_bits - 1) / bits::word_bits;
    }
    /// From the first slot on.
    [[nodiscard]] std::size_t bytes() const noexcept {
        return units * unit_bytes - (is_page() ? begin % page_bytes : 0);
    }

    /// The words of its bits.
    [[nodiscard]] ARENITE_INLINE bits::word* bitmap() noexcept {
        return reinterpret_cast<bits::word*>(this) + words_behind;
    }
    [[nodiscard]] ARENITE_INLINE const bits::word* bitmap() const noexcept {
        return reinterpret_cast<const bits::word*>(this) + words_behind;
    }

    static constexpr std::size_t least_joined_bytes = 32; ///< slots of a page that may be joined

    /// True if there are words for a second row of bits: half of the units', or those of a page.
    [[nodiscard]] bool has_spare_words() const noexcept {
        return is_page() ? slot_bytes >= least_joined_bytes : 2 * words() <= units;
    }

    /// The slots of inverse[slot_class], from an offset in the block on. Before the slab is used.
    void place(std::size_t offset, std::uint32_t inverse_of_slot) noexcept {
        begin = static_cast<std::uint32_t>(offset);
        inverse = inverse_of_slot;
    }

    /// Index of the slot at an offset in the block, or of the slot around it; `slots` or more where
    /// there is none.
    [[nodiscard]] ARENITE_INLINE std::size_t index_of(std::size_t offset) const noexcept {
        const std::uint32_t from_begin = static_cast<std::uint32_t>(offset) - begin;
        return static_cast<std::size_t>(std::uint64_t{from_begin} * inverse >> 32);
    }

    /// Bytes from the first slot of a page to p, which lies in it, by the address alone. An address
    /// in front of the first slot is taken for one two pages further, less that.
    [[nodiscard]] ARENITE_INLINE std::uint32_t offset_in_page(const void* p) const noexcept {
        return (static_cast<std::uint32_t>(address_of(p)) - begin) & (2 * page_bytes - 1);
    }
    /// index_of in a page: of any address in it an index that has a bit.
    [[nodiscard]] ARENITE_INLINE std::size_t index_in_page(const void* p) const noexcept {
#if defined(__x86_64__) && defined(__GNUC__)
        // `begin` as its fraction makes `inverse` larger by less than 2^-14: the index stays, and
        // is the upper half of a product, which needs no shift.
        static_assert(offsetof(slab, inverse) == offsetof(slab, begin) + sizeof begin);
        std::uint64_t offset = offset_in_page(p);
        std::uint64_t index;
        using both = const char(*)[sizeof begin + sizeof inverse];
        __asm__("mulq %2"
                : "=d"(index), "+a"(offset)
                : "m"(*reinterpret_cast<both>(&begin))
                : "cc");
        return index;
#else
        return static_cast<std::size_t>(std::uint64_t{offset_in_page(p)} * inverse >> 32);
#endif
    }

    /// Checked builds note at the end of a slab how many bytes of each slot were not asked for.
    static constexpr std::size_t note_bytes = checks_enabled ? sizeof(std::uint16_t) : 0;

    /// A slab of full size, and the most of those of slots too large for a page. One with a single
    /// slot may have more.
    static constexpr std::size_t full_units = 64;
    static constexpr std::size_t most_units = 192;

    /// used() at which enough is free to allocate from the slab again: an eighth of a slab of full
    /// size. The slabs of a heap that holds little are small, and those of large slots have few:
    /// they wait for a quarter, the smallest for half, or a few slots each time would be all that
    /// looking for them brings.
    [[nodiscard]] std::int32_t refill_alarm() const noexcept {
        const int share = units <= 8 ? 2 : units < full_units || slots <= 16 ? 4 : 8;
        return slots - larger(1, slots / share);
    }

    /// used() at which it is sparse: half is free, and larger objects may join its slots; none
    /// where they can't.
    [[nodiscard]] std::int32_t sparse_alarm() const noexcept {
        return has_spare_words() ? slots / 2 : 0;
    }

    static constexpr std::size_t page_bytes = 65536; ///< see slab_page

private:
    static constexpr std::uintptr_t units_mark = 0x6d3a5b71;
    static constexpr std::uintptr_t page_mark = 0x6d3a5b75;
    static constexpr std::uintptr_t joined_mark = 2;

    [[nodiscard]] ARENITE_INLINE std::uintptr_t tag_of(const void* owner,
                                                       bool page) const noexcept {
        return address_of(owner) + address_of(this) + (page ? page_mark : units_mark);
    }
};

static_assert(sizeof(slab) == slab::words_behind_page * sizeof(bits::word));

namespace slab_state {
inline constexpr std::uint16_t full = 0;       ///< or nearly
inline constexpr std::uint16_t refillable = 1; ///< see refill_alarm
inline constexpr std::uint16_t donating = 2;   ///< a larger class joins slots of it

// Half is free: it may have so many free slots side by side, for a larger class to join.
inline constexpr std::uint16_t run_of_2 = 4;
inline constexpr std::uint16_t run_of_4 = 8; ///< of 3 or 4
inline constexpr std::uint16_t run_of_8 = 16;
inline constexpr std::uint16_t run_of_16 = 32;
inline constexpr std::uint16_t sparse = run_of_2 | run_of_4 | run_of_8 | run_of_16;

/// The state that tells of a run of 2 to 16 slots.
[[nodiscard]] constexpr std::uint16_t run_of(std::size_t slots) noexcept {
    return slots <= 2 ? run_of_2 : slots <= 4 ? run_of_4 : slots <= 8 ? run_of_8 : run_of_16;
}
} // namespace slab_state

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
