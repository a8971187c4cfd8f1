// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>
#include <arenite/core/literals.hpp>

#include <cstddef>
#include <cstdint>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// Cache colours: objects at the same offset of equally aligned blocks share one cache set and push
/// each other out. A block therefore begins its objects 0 to 3 cache lines later, by its number.
inline constexpr std::size_t colour_bytes = 64;
inline constexpr std::size_t colour_count = 4;

/// Blocks of fewer bytes than this have no colours: there would be too little room for them.
inline constexpr std::size_t least_coloured_bytes = 64_KiB;

/// Bytes to leave free at the start of the block at `address`, one of many of `spacing` bytes (a
/// power of two). Neighbours differ; the average is 1.5 lines. 0 where blocks have no colours.
[[nodiscard]] constexpr std::size_t colour_offset(std::uintptr_t address,
                                                  std::size_t spacing) noexcept {
    return spacing < least_coloured_bytes ? 0 : address / spacing % colour_count * colour_bytes;
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
