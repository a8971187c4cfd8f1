// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/alignment.hpp>
#include <arenite/core/bits.hpp>
#include <arenite/core/config.hpp>
#include <arenite/ordered/size_class.hpp>

#include <cstddef>
#include <cstdint>

namespace arenite {
inline namespace ARENITE_ABI {

/// The unit in which a block is given to slabs.
inline constexpr std::size_t unit_bytes = 1024;

struct slot_class_state;

/// A run of units of one block, cut into slots of one size class.
///
///     block   | unit | unit | unit | unit | unit | unit | unit | ...
///     slabs          |  64 slots of 16    |  21 of 48   |
///     words          | 1..1 | 1..1 | 1..1 |  001..1   - |             1: free
///
/// Invariant: used == slots - bits that are set, but for the slab that its class allocates from:
/// there what is handed out is not counted, until the slab is left and its bits are.
struct alignas(64) slab {
    void* owner;              ///< the heap; null for what is no slab
    slot_class_state* counts; ///< where its heap counts the objects of this class
    std::uint32_t begin;      ///< bytes from the start of the block to the first slot
    std::uint32_t inverse;    ///< of the size of a slot: see size_class::inverse
    std::int32_t used;        ///< slots in use
    std::int32_t alarm;       ///< a free that brings `used` to this or below is told to the heap
    std::uint16_t slot_bytes;
    std::uint16_t slack;      ///< a request takes more than slot_bytes less this
    std::uint16_t first_word; ///< of its bits, among the words of its block
    std::uint16_t slots;
    std::uint8_t slot_class; ///< see size_class; `single` for one slot of any number of units
    std::uint8_t units;
    std::uint16_t state; ///< a set of slab_state
    std::uint16_t below; ///< for address_list, as are left and right: among the slabs of a class
    slab* left;
    slab* right;

    /// As alarm: of no free, but before a word of frees more would not fit into `used`.
    static constexpr std::int32_t silent = INT32_MIN + 64;

    [[nodiscard]] std::size_t words() const noexcept {
        return (slots + bits::word_bits - 1) / bits::word_bits;
    }
    [[nodiscard]] std::size_t bytes() const noexcept { return units * unit_bytes; }

    /// Index of the slot at an offset in the block, or of the slot around it.
    [[nodiscard]] ARENITE_INLINE std::size_t index_of(std::size_t offset) const noexcept {
        return (offset - begin) * std::uint64_t{inverse} >> 32;
    }

    /// Checked builds note at the end of a slab how many bytes of each slot were not asked for.
    static constexpr std::size_t note_bytes = checks_enabled ? sizeof(std::uint16_t) : 0;

    /// `used` at which enough is free, an eighth, to allocate from the slab again.
    [[nodiscard]] std::int32_t refill_alarm() const noexcept {
        return slots - (slots < 16 ? 1 : slots / 8);
    }
};

static_assert(sizeof(slab) == 64);

/// Where the bit of a slot is.
struct slot_bit {
    bits::word* word;
    bits::word mask;
};

namespace slab_state {
inline constexpr std::uint16_t full = 0;       ///< or nearly
inline constexpr std::uint16_t refillable = 1; ///< an eighth is free
} // namespace slab_state

/// The bookkeeping of a block that is cut into slabs. It lies in the block, 64 bytes after a multiple
/// of 4 KiB that the block's address tells: so that of many blocks it does not share a few cache
/// sets.
///
///     | block | ... | slab_block | slab of each unit | slabs | bits of each slot | ...
///
/// Threads:   the owner's; what stands in it of a slab with live slots may be read by any thread.
struct alignas(64) slab_block {
    static constexpr std::size_t most_units = 256;
    static constexpr std::size_t most_slabs = 24;

    bits::word taken_units[4]; ///< of what no slab can have too
    std::uint32_t free_slabs;  ///< bit i: slabs[i] stands for none. slabs[0] is none for ever
    std::uint32_t slab_count;  ///< that stand for one
    alignas(64) std::uint8_t slab_of[most_units]; ///< by unit; 0: none
    slab slabs[most_slabs];

    /// By unit; the words of a slab begin with that of its first unit. There are as many as units.
    [[nodiscard]] ARENITE_INLINE bits::word* words() noexcept {
        return reinterpret_cast<bits::word*>(this + 1);
    }
    [[nodiscard]] const bits::word* words() const noexcept {
        return reinterpret_cast<const bits::word*>(this + 1);
    }

    /// The slab that an offset within the block lies in; slabs[0] where there is none.
    [[nodiscard]] ARENITE_INLINE slab& slab_at(std::size_t offset) noexcept {
        return slabs[slab_of[offset / unit_bytes]];
    }

    /// The bit of the slot at an offset in one of the slabs.
    [[nodiscard]] ARENITE_INLINE slot_bit bit_of(const slab& s, std::size_t offset) noexcept {
        const std::size_t index = s.index_of(offset);
        return {words() + s.first_word + index / bits::word_bits,
                bits::word{1} << index % bits::word_bits};
    }

    /// Bytes of it all in a block of so many bytes.
    [[nodiscard]] static constexpr std::size_t bytes_for(std::size_t block_bytes) noexcept {
        return sizeof(slab_block) + block_bytes / unit_bytes * sizeof(bits::word);
    }
};

/// Where a block and its bookkeeping are, from an address in it.
///
/// mask_bytes is the power of two at whose multiples the heap's blocks lie.
class slab_geometry {
public:
    explicit constexpr slab_geometry(std::size_t mask_bytes) noexcept
        : offset_mask_{mask_bytes - 1}, colours_{mask_bytes == coloured_bytes ? 0x7000u : 0u} {}

    /// Bytes from the start of its block to p.
    [[nodiscard]] ARENITE_INLINE std::size_t offset_of(const void* p) const noexcept {
        return address_of(p) & offset_mask_;
    }

    [[nodiscard]] ARENITE_INLINE slab_block* block_of(const void* p) const noexcept {
        const std::uintptr_t at = address_of(p);
        return reinterpret_cast<slab_block*>(at - (at & offset_mask_) +
                                             (at / (coloured_bytes / colour_step) & colours_) +
                                             head_bytes);
    }

    [[nodiscard]] std::size_t mask_bytes() const noexcept { return offset_mask_ + 1; }

    /// What a large object has to be aligned to, so that its head and what mark_large() writes lie
    /// before it.
    [[nodiscard]] std::size_t large_alignment(std::size_t asked) const noexcept {
        return asked >= unit_bytes && colours_ != 0 && asked <= offset_mask_ ? mask_bytes() : asked;
    }

private:
    static constexpr std::size_t head_bytes = 64; ///< of the struct block
    static constexpr std::size_t coloured_bytes = 256 * 1024;
    static constexpr std::size_t colour_step = 4096;

    std::uintptr_t offset_mask_;
    std::uintptr_t colours_; ///< bits of an address, once they are shifted to where colours differ
};

} // namespace ARENITE_ABI
} // namespace arenite
