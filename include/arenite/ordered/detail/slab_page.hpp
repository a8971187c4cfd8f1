// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/alignment.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/detail/bits.hpp>
#include <arenite/core/detail/extremes.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/ordered/detail/slab.hpp>

#include <cstddef>
#include <cstdint>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// Where things are in a page: 64 KiB of a block that are one slab, with its description and its
/// bits at their begin, so that the address of an object leads to them at once.
///
///     page    | colour | slab | bits of its slots | bits of joined ones | slots ............. |
///             ^ multiple of 64 KiB
///
/// The description lies 64 to 1024 bytes behind the begin, as bits 16 to 19 of the address tell: so
/// that those of many pages do not share a few cache sets. A page that is the first of its block
/// begins with the block's head.
///
/// What lies at this place in other memory may be an object: slab::is_of tells a description.
namespace slab_page {

inline constexpr std::size_t bytes = 64_KiB;
inline constexpr std::size_t most_in_block = 4; ///< pages

/// Larger slots would leave much of a page unused.
inline constexpr std::size_t largest_slot_bytes = 2048;

inline constexpr std::size_t head_bytes = 64; ///< of the struct block
inline constexpr std::size_t colours = 16;

/// The description of the page that p lies in, if it is one.
[[nodiscard]] ARENITE_INLINE slab& of(const void* p) noexcept {
    const std::uintptr_t at = address_of(p);
    return *reinterpret_cast<slab*>((at & ~(std::uintptr_t{bytes} - 1)) +
                                    (at / (bytes / 64) & (colours - 1) * 64) + head_bytes);
}

/// Words of bits in front of the slots, once for those that are free and once for those that are
/// joined: for every slot that an address in a page may be taken for.
[[nodiscard]] constexpr std::size_t words_for(std::size_t slot_bytes) noexcept {
    return (bytes - 1) / slot_bytes / bits::word_bits + 1;
}

/// Bytes from the begin of the page to its first slot.
[[nodiscard]] constexpr std::size_t first_slot(std::size_t description,
                                               std::size_t slot_bytes) noexcept {
    const std::size_t bitmaps = slot_bytes >= slab::least_joined_bytes ? 2 : 1;
    const std::size_t end =
        description + sizeof(slab) + bitmaps * words_for(slot_bytes) * sizeof(bits::word);
    const std::size_t alignment = smaller<std::size_t>(slot_bytes & -slot_bytes, unit_bytes);
    return align_up(end, alignment);
}

} // namespace slab_page

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
