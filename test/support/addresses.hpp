// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

namespace support {

/// The largest power of two that a size can be: 2^63 where sizes have 64 bits.
inline constexpr std::size_t largest_power = ~(~std::size_t{0} >> 1);

/// False where all addresses there are make 4 GiB.
inline constexpr bool has_wide_addresses = sizeof(void*) > 4;

/// So many GiB, or where addresses have 32 bits this instead.
[[nodiscard]] constexpr std::size_t gib_or(std::uint64_t gib, std::size_t narrow) {
    return has_wide_addresses ? static_cast<std::size_t>(gib << 30) : narrow;
}

/// A size that no program gets: 2^62, or 3.5 GiB where all addresses make 4.
inline constexpr std::size_t beyond_memory = gib_or(std::uint64_t{1} << 32, std::size_t{7} << 29);

} // namespace support
