// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/check/detail/poison.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/core/config.hpp>
#include <arenite/ordered/detail/size_class.hpp>
#include <arenite/ordered/detail/slab_block.hpp>

#include <cstddef>
#include <cstdint>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

struct block;

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
        return reinterpret_cast<slab_block*>(
            at - offset_of(p) + (at / (coloured_bytes / colour_step) & colours_) + head_bytes);
    }

    /// The bookkeeping of the block at this address, wherever that is.
    [[nodiscard]] slab_block* slabs_in(const void* block) const noexcept {
        const std::uintptr_t at = address_of(block);
        return reinterpret_cast<slab_block*>(at + (at / (coloured_bytes / colour_step) & colours_) +
                                             head_bytes);
    }
    /// The block that begins before its bookkeeping.
    [[nodiscard]] std::uintptr_t block_before(const slab_block* slabs) const noexcept {
        const std::uintptr_t at = address_of(slabs);
        return colours_ != 0 ? at & ~offset_mask_ : at - head_bytes;
    }

    [[nodiscard]] std::size_t mask_bytes() const noexcept { return offset_mask_ + 1; }

    /// A request of more than this, less a unit, goes to the upstream.
    [[nodiscard]] std::size_t largest_in_units() const noexcept { return mask_bytes() / 4; }

    /// True if blocks may be cut into pages, see slab_page.
    [[nodiscard]] constexpr bool has_pages() const noexcept { return colours_ != 0; }

    /// A large object that begins further up than a unit: says where a slab_block would be that
    /// there is no slab.
    void mark_large(block& b) const noexcept;

    /// The alignment that a large object needs, so that its head and the mark of mark_large() lie
    /// before it.
    [[nodiscard]] std::size_t large_alignment(std::size_t asked) const noexcept {
        return asked >= unit_bytes && colours_ != 0 && asked <= offset_mask_ ? mask_bytes() : asked;
    }

    /// True for a request with an alignment above size_class::largest_alignment that is served by a
    /// run of units; most: the bytes of a block by large_divisor. A checked build has room for
    /// notes behind a run, so that pages would take one more.
    [[nodiscard]] static constexpr bool fits_aligned_units(std::size_t bytes, std::size_t alignment,
                                                           std::size_t most) noexcept {
        return !slow_only && alignment > size_class::largest_alignment &&
               alignment <= most - unit_bytes && bytes <= most - unit_bytes - alignment;
    }

private:
    static constexpr std::size_t head_bytes = 64; ///< of the struct block
    static constexpr std::size_t coloured_bytes = 256 * 1024;
    static constexpr std::size_t colour_step = 4096;

    std::uintptr_t offset_mask_;
    std::uintptr_t colours_; ///< bits of an address, once they are shifted to where colours differ
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
