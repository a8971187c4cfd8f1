// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/block/detail/block.hpp>
#include <arenite/block/detail/colouring.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/detail/bits.hpp>

#include <cstddef>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// One bit for each granule of a block, which says taken or free; behind the head of the block.
///
///     | block 64 B | bits | colour | objects ...                              |
///     ^ multiple of the mask size                                             ^ + bytes
///
/// Granules are numbered from the block's own first byte, so the bits of what precedes the objects
/// are always set, and the position of an object's bit follows from its address alone, whatever the
/// length of the block.
///
/// Overhead:  1/64 of the memory.
/// Threads:   one at a time; the owner's rule.
namespace granule_map {

/// A run of granules [first, last) of one block.
struct hole {
    std::size_t first = 0;
    std::size_t last = 0;

    [[nodiscard]] constexpr std::size_t granules() const noexcept { return last - first; }
    [[nodiscard]] constexpr bool empty() const noexcept { return first == last; }
};

/// Words of bits that a block has.
[[nodiscard]] inline std::size_t words_of(const block& b) noexcept {
    return b.granules / bits::word_bits;
}

/// Bytes before the first object: head, bits, colour.
[[nodiscard]] constexpr std::size_t head_bytes(std::size_t block_bytes,
                                               std::size_t colour) noexcept {
    return align_up(sizeof(block) + block_bytes / granule_bytes / 8, alignof(block)) + colour;
}

/// Granules at the start of a block that belong to no object; blocks are aligned to `mask_bytes`.
[[nodiscard]] inline std::size_t head_granules(const block& b, std::size_t mask_bytes) noexcept {
    return head_bytes(b.bytes(), colour_offset(address_of(&b), mask_bytes)) / granule_bytes;
}

/// Makes the bits of a new block: its head is taken, all the rest is free.
void make(block& b, std::size_t mask_bytes) noexcept;

/// The first hole of at least `count` granules at or after `from`, whole; empty if there is none.
[[nodiscard]] inline hole find_hole(const block& b, std::size_t from, std::size_t count) noexcept {
    const std::size_t first = bits::find_clear_run(b.occupancy(), from, b.granules, count);
    if (first == b.granules)
        return {};
    return {first, bits::next_set(b.occupancy(), first + count, b.granules)};
}

} // namespace granule_map

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
