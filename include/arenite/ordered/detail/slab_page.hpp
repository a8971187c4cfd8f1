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
///     page    | colour | slab | bits of its slots | bits of joined ones |  | slots .......... |
///             ^ multiple of 64 KiB
///
/// The description lies 64 to 1024 bytes behind the begin, as bits 16 to 19 of the address tell: so
/// that those of many pages do not share a few cache sets. A page that is the first of its block
/// begins with the block's head.
///
/// Slots reach to the end of the page. Addresses in front of them have bits, too, in words of their
/// own: always set, so that a free of such an address is found as one of a free slot is.
///
/// In other memory an object may lie at this place: slab::is_of tells a description from it.
namespace slab_page {

inline constexpr std::size_t bytes = 64_KiB;
inline constexpr std::size_t most_in_block = 4; ///< pages

/// Larger slots would share a word of bits with the addresses in front of them.
inline constexpr std::size_t largest_slot_bytes = 1792;

inline constexpr std::size_t head_bytes = 64; ///< of the struct block
inline constexpr std::size_t colours = 16;

/// The description of the page that p lies in, if it is one.
[[nodiscard]] ARENITE_INLINE slab& of(const void* p) noexcept {
    const std::uintptr_t at = address_of(p);
    auto* const begin = reinterpret_cast<std::byte*>(at & ~(std::uintptr_t{bytes} - 1));
    return *reinterpret_cast<slab*>(begin + (at / (bytes / 64) & (colours - 1) * 64) + head_bytes);
}

/// bitmap() of a page.
[[nodiscard]] ARENITE_INLINE bits::word* words_of(slab& page) noexcept {
    return reinterpret_cast<bits::word*>(&page + 1);
}
[[nodiscard]] ARENITE_INLINE const bits::word* words_of(const slab& page) noexcept {
    return reinterpret_cast<const bits::word*>(&page + 1);
}

/// Words of bits for whatever an address in a page may be taken for: see slab::index_in_page.
[[nodiscard]] constexpr std::size_t words_for(std::size_t slot_bytes) noexcept {
    return (2 * bytes - 1) / slot_bytes / bits::word_bits + 1;
}

/// Bytes from the begin of the page to its first slot. Notes of checked builds lie behind the last.
[[nodiscard]] constexpr std::size_t first_slot(std::size_t description,
                                               std::size_t slot_bytes) noexcept {
    const std::size_t joined =
        slot_bytes >= slab::least_joined_bytes ? bytes / slot_bytes / bits::word_bits + 1 : 0;
    const std::size_t alignment = smaller<std::size_t>(slot_bytes & -slot_bytes, unit_bytes);
    const std::size_t end =
        align_up(description + sizeof(slab) + (words_for(slot_bytes) + joined) * sizeof(bits::word),
                 alignment);
    const std::size_t with_note = slot_bytes + slab::note_bytes;
    return align_down(bytes - (bytes - end) / with_note * with_note, alignment);
}

/// The lowest index that an address in front of the first slot is taken for.
[[nodiscard]] constexpr std::size_t first_index_in_front(std::size_t first,
                                                         std::size_t slot_bytes) noexcept {
    return (2 * bytes - first) / slot_bytes;
}

} // namespace slab_page

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
