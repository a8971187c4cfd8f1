// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>
#include <arenite/core/detail/atomic_access.hpp>
#include <arenite/core/detail/bits.hpp>
#include <arenite/ordered/detail/slab.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// The bookkeeping of a block that is cut into slabs. It lies in the block, 64 bytes after a
/// multiple of 4 KiB that the block's address tells: so that of many blocks it does not share a few
/// cache sets.
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
    std::uint32_t fresh_from;  ///< from this unit on none was a slab's yet, and all hold zeros
    std::uint32_t fresh_slabs; ///< bit i: so it was with the units of slabs[i]
    alignas(64) std::uint8_t slab_of[most_units]; ///< by unit: how far its slab is from here
    slab slabs[most_slabs];

    /// By unit; the words of a slab begin with that of its first unit. There are as many as units.
    [[nodiscard]] ARENITE_INLINE bits::word* words() noexcept {
        return reinterpret_cast<bits::word*>(this + 1);
    }
    [[nodiscard]] const bits::word* words() const noexcept {
        return reinterpret_cast<const bits::word*>(this + 1);
    }

    /// The slab that an offset within the block lies in; slabs[0] where there is none.
    /// Where this is no slab_block at all, see slab::is_of.
    [[nodiscard]] ARENITE_INLINE slab& slab_at(std::size_t offset) noexcept {
#if ARENITE_HAS_TSAN
        return reinterpret_cast<slab*>(this)[glance(slab_of[offset / unit_bytes])];
#else
        return reinterpret_cast<slab*>(this)[slab_of[offset / unit_bytes]];
#endif
    }

    /// True if the units of one of `slabs` held zeros when it was made, and were no slab's before.
    [[nodiscard]] bool was_fresh(const slab& s) const noexcept {
        return (fresh_slabs >> (&s - slabs) & 1) != 0;
    }

    /// These units are of slabs[number] from now on.
    void set_slab(std::size_t first_unit, std::size_t units, std::size_t number) noexcept;

    /// Bytes of it all in a block of so many bytes.
    [[nodiscard]] static constexpr std::size_t bytes_for(std::size_t block_bytes) noexcept {
        return sizeof(slab_block) + block_bytes / unit_bytes * sizeof(bits::word);
    }
};

inline void slab_block::set_slab(std::size_t first_unit, std::size_t units,
                                 std::size_t number) noexcept {
    constexpr std::size_t slabs_from_here = offsetof(slab_block, slabs) / sizeof(slab);
    std::memset(slab_of + first_unit, static_cast<std::uint8_t>(slabs_from_here + number), units);
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
