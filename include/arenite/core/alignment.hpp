// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>

#include <cstddef>
#include <cstdint>

namespace arenite {
inline namespace ARENITE_ABI {

/// The default alignment of an allocation: enough for every fundamental type.
inline constexpr std::size_t default_alignment = alignof(std::max_align_t);

/// True for 1, 2, 4, ...: the valid alignments.
[[nodiscard]] ARENITE_INLINE constexpr bool is_alignment(std::uint64_t value) noexcept {
    // Not std::has_single_bit: g++ 12 calls a function for it where the processor may lack popcnt.
    return value != 0 && (value & (value - 1)) == 0;
}

/// The largest alignment that an object of so many bytes can need, if it is not known: the largest
/// power of two that divides the size, at most default_alignment.
///
/// The objects of an array lie side by side and are all aligned, so the size of an object is a
/// multiple of its alignment: 24 bytes never need more than 8, while 48 may need 16. Types that
/// need more than default_alignment say so, in C++ by `std::align_val_t`. This does not apply to a
/// block of memory that may hold smaller objects: malloc must serve those too.
[[nodiscard]] ARENITE_INLINE constexpr std::size_t natural_alignment(std::size_t bytes) noexcept {
    const std::size_t lowest_bit = bytes & (~bytes + 1);
    if (bytes == 0)
        return 1;
    return lowest_bit < default_alignment ? lowest_bit : default_alignment;
}

/// The next multiple of alignment (a power of two); wraps to 0 past the largest size.
[[nodiscard]] ARENITE_INLINE constexpr std::size_t align_up(std::size_t value,
                                                            std::size_t alignment) noexcept {
    return (value + (alignment - 1)) & ~(alignment - 1);
}

/// The multiple of alignment (a power of two) at or below value.
[[nodiscard]] ARENITE_INLINE constexpr std::size_t align_down(std::size_t value,
                                                              std::size_t alignment) noexcept {
    return value & ~(alignment - 1);
}

/// The address as a number.
[[nodiscard]] ARENITE_INLINE std::uintptr_t address_of(const void* p) noexcept {
    return reinterpret_cast<std::uintptr_t>(p);
}

/// True if p is a multiple of alignment (a power of two).
[[nodiscard]] ARENITE_INLINE bool is_aligned(const void* p, std::size_t alignment) noexcept {
    return (address_of(p) & (alignment - 1)) == 0;
}

/// Bytes from p up to the next multiple of alignment (a power of two).
[[nodiscard]] ARENITE_INLINE std::size_t padding_for(const void* p,
                                                     std::size_t alignment) noexcept {
    return (0 - address_of(p)) & (alignment - 1);
}

} // namespace ARENITE_ABI
} // namespace arenite
