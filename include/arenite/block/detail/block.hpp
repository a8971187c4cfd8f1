// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>
#include <arenite/core/detail/bits.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// The unit in which lengths of blocks and of large objects are counted.
inline constexpr std::size_t granule_bytes = 8;

/// Blocks on pages of the system are as long as this and lie at its multiples.
inline constexpr std::size_t page_block_bytes = std::size_t{1} << 18;

/// Whole granules that hold `bytes`; 0 bytes count as 1. Wraps only for sizes no object can have.
[[nodiscard]] constexpr std::size_t granules_for(std::size_t bytes) noexcept {
    return (bytes + (bytes == 0) + (granule_bytes - 1)) / granule_bytes;
}

/// The head of a block: its links, its owner, the span that it was cut from. What follows is the
/// owner's.
///
///     | block 64 B | ...                                                      |
///     ^ multiple of the mask size                                             ^ + bytes
///
/// From an object to its block: mask its address. The owner keeps all blocks aligned to one mask
/// size, which no block exceeds; only a block with a single large object may be longer (see
/// large_objects).
///
/// Overhead: 64 bytes.
/// Threads:  one at a time; the owner's rule.
struct alignas(64) block {
    // Touched by a free: one cache line.
    std::int32_t live;  ///< in use, in a unit of the owner's; of a large block: how many were
                        ///< allocated before it
    std::int32_t alarm; ///< when a free brings live to this or below, the owner is called; in a
                        ///< large block: granules that it leaves unused in huge pages

    /// Length of the whole block including its header; for a large object, of what precedes it.
    std::uint32_t granules;

    std::uint16_t state;    ///< this block's states, a set of block_state
    std::uint16_t below;    ///< union of the states in this block's subtree of block_list
    alignas(8) block* left; ///< for block_list
    alignas(8) block* right;
    alignas(8) void* owner;
    alignas(8) block* span; ///< first block of the span, one request to the upstream

    // Valid in the first block of a span, for the span, and in a large block, for itself.
    alignas(8) std::size_t span_bytes; ///< as requested from the upstream
    alignas(8) std::uint32_t
        span_busy; ///< blocks of the span that are not empty; in a large block: unused granules
    std::uint32_t
        note; ///< see large_objects for a large block; otherwise for the owner, 0 at first

    /// The bits of an owner that keeps some behind the head: a slot or a granule each.
    [[nodiscard]] bits::word* occupancy() noexcept {
        return reinterpret_cast<bits::word*>(this + 1);
    }
    [[nodiscard]] const bits::word* occupancy() const noexcept {
        return reinterpret_cast<const bits::word*>(this + 1);
    }

    [[nodiscard]] std::size_t bytes() const noexcept {
        return static_cast<std::size_t>(granules) * granule_bytes;
    }

    [[nodiscard]] std::byte* at(std::size_t granule) noexcept {
        return reinterpret_cast<std::byte*>(this) + granule * granule_bytes;
    }

    /// Number of the granule at p, which lies in this block.
    [[nodiscard]] std::size_t index_of(const void* p) const noexcept {
        return (reinterpret_cast<std::uintptr_t>(p) - reinterpret_cast<std::uintptr_t>(this)) /
               granule_bytes;
    }
};

static_assert(sizeof(block) == 64, "the head of a block is one cache line");

/// The head of the block of the object at p, in a block or large: no object begins where the mask's
/// units do, but large ones that are aligned so, whose head lies a unit below.
[[nodiscard]] inline block& head_of_object(const void* p, std::size_t mask_bytes) noexcept {
    const auto at = reinterpret_cast<std::uintptr_t>(p) - 1;
    return *reinterpret_cast<block*>(at & ~(std::uintptr_t{mask_bytes} - 1));
}

/// Properties by which a block's owner finds blocks again; see block_list::lowest. Bits without a
/// name here are for each owner to use, and so is `sweepable` where the owner does not sweep.
namespace block_state {
inline constexpr std::uint16_t open = 1;      ///< its owner allocates from it now
inline constexpr std::uint16_t sweepable = 2; ///< enough was freed to sweep it again
inline constexpr std::uint16_t empty = 4;     ///< holds no object
inline constexpr std::uint16_t large = 8;     ///< a single object
inline constexpr std::uint16_t idle = 16;     ///< first of a span whose blocks are all empty
} // namespace block_state

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
