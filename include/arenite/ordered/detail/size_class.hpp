// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/alignment.hpp>
#include <arenite/core/config.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// The sizes of slots that a heap serves small requests from, by number.
///
///     16, 24, 32 ... 128 | 144, 160 ... 256 | 288 ... 512 | ... | 4608 ... 8192
///        steps of 8      |    8 steps each time the size doubles
///
/// A request takes the smallest slot that holds it: up to 128 bytes less than 8 bytes are left over
/// (16 bytes is the smallest slot), above that less than an eighth of the slot.
namespace size_class {

inline constexpr std::size_t smallest_bytes = 16;
inline constexpr std::size_t largest_bytes = 8192;
inline constexpr std::size_t least_alignment = 8;      ///< that all slots have
inline constexpr std::size_t largest_alignment = 1024; ///< that some slots have

inline constexpr unsigned count = 63;
inline constexpr unsigned single = 63; ///< no class: a slot of its own, in whole units
inline constexpr unsigned none = 64;   ///< no class: too large or too aligned for a slot

/// The class of a size of at most largest_bytes; 0 bytes count as 1.
[[nodiscard]] constexpr unsigned computed(std::size_t bytes) noexcept {
    if (bytes <= smallest_bytes)
        return 0;
    if (bytes <= 128)
        return static_cast<unsigned>((bytes + 7) / 8 - 2);
    const auto log2 = static_cast<unsigned>(std::bit_width(bytes - 1)) - 1; // 7 to 12
    const auto eighths = static_cast<unsigned>((bytes - 1) >> (log2 - 3));  // of 2^log2: 8 to 15
    return 15 + (log2 - 7) * 8 + eighths - 8;
}

/// Bytes of a slot.
[[nodiscard]] constexpr std::size_t slot_bytes(unsigned number) noexcept {
    if (number < 15)
        return (number + 2) * std::size_t{8};
    const unsigned log2 = 7 + (number - 15) / 8;
    const std::size_t steps = (number - 15) % 8 + 1;
    return (std::size_t{1} << log2) + (steps << (log2 - 3));
}

/// slot_bytes() of all classes: to sum over them.
inline constexpr auto bytes_of = [] {
    std::array<std::uint32_t, count> of{};
    for (unsigned i = 0; i < count; ++i)
        of[i] = static_cast<std::uint32_t>(slot_bytes(i));
    return of;
}();

/// Up to this size the class is looked up, above it computed.
inline constexpr std::size_t largest_listed_bytes = 1024;

/// A slab_class has so many bytes, and a heap's lie side by side: so an offset among them tells the
/// class as well as a number does, and need not be multiplied.
inline constexpr std::size_t state_bytes = 64;

/// Offsets by size in steps of 8, for requests of one alignment.
struct offset_row {
    std::uint16_t of[144];
};

/// A row of slots whose size is divisible by `divisor`, for the first `steps` sizes; then `single`.
[[nodiscard]] constexpr offset_row offsets_of(std::size_t divisor, std::size_t steps) noexcept {
    offset_row row{};
    unsigned number = 0;
    std::size_t i = 0;
    for (; i < steps; ++i) {
        while (slot_bytes(number) < 8 * i || slot_bytes(number) % divisor != 0)
            ++number;
        row.of[i] = static_cast<std::uint16_t>(number * state_bytes);
    }
    for (; i < sizeof row.of / sizeof row.of[0]; ++i)
        row.of[i] = single * state_bytes;
    return row;
}

/// Offsets by alignment, up to 16, and size; that of `single` where the alignment is no power of
/// two. Put together of rows: a compiler would take long to compute each of its numbers.
struct offset_table {
    offset_row rows[17];
};
inline constexpr auto listed = [] {
    constexpr std::size_t steps = largest_listed_bytes / 8 + 1;
    constexpr offset_row no = offsets_of(1, 0);
    constexpr offset_row any = offsets_of(8, steps);
    constexpr offset_row of_16 = offsets_of(16, steps);
    return offset_table{
        {no, any, any, no, any, no, no, no, any, no, no, no, no, no, no, no, of_16}};
}();

/// Multiplied by an offset within a slab and shifted right by 32 bits, the index of the slot there.
/// 0, the index of the only slot, for size_class::single.
inline constexpr auto inverse = [] {
    std::array<std::uint32_t, count + 1> of{};
    for (unsigned i = 0; i < count; ++i)
        of[i] = static_cast<std::uint32_t>((std::uint64_t{1} << 32) / slot_bytes(i) + 1);
    return of;
}();

/// True for a request that most programs make: of up to `largest_listed_bytes`, aligned to up to
/// 16.
[[nodiscard]] ARENITE_INLINE constexpr bool is_listed(std::size_t bytes,
                                                      std::size_t alignment) noexcept {
    return bytes <= largest_listed_bytes && alignment <= 16;
}

/// The offset of the class of such a request; that of `single`, which has no slots ready, if its
/// alignment is no power of two. Slots are aligned to 16 where their size is divisible by it.
[[nodiscard]] ARENITE_INLINE constexpr std::size_t
offset_of_listed(std::size_t bytes, std::size_t alignment) noexcept {
    return listed.rows[alignment].of[(bytes + 7) / 8];
}
[[nodiscard]] ARENITE_INLINE constexpr unsigned of_listed(std::size_t bytes,
                                                          std::size_t alignment) noexcept {
    return static_cast<unsigned>(offset_of_listed(bytes, alignment) / state_bytes);
}

/// The class of any request of a valid alignment; `single` where no class has slots of this size or
/// alignment, `none` where it is more aligned than any unit.
[[nodiscard]] constexpr unsigned of(std::size_t bytes, std::size_t alignment) noexcept {
    if (is_listed(bytes, alignment))
        return of_listed(bytes, alignment);
    if (alignment > largest_alignment)
        return none;
    if (bytes > largest_bytes)
        return single;
    unsigned number = computed(bytes);
    while (number < count && (slot_bytes(number) & (alignment - 1)) != 0) // a power of two
        ++number;
    return number;
}

static_assert(slot_bytes(count - 1) == largest_bytes && computed(largest_bytes) == count - 1);

} // namespace size_class

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
