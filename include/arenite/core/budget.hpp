// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>

namespace arenite {
inline namespace ARENITE_ABI {

/// How much a step of work that is done in steps may take: `heap.step(budget{.bytes = 64_KiB})`.
///
/// A step ends at the limit that it reaches first; what is not set is no limit. One that finds
/// nothing to move ends too, and the next goes on behind it: after 64 looks, and 4 more for each
/// move or one for each 256 bytes that it may make. Whoever takes a budget says what a move is, and
/// by how much a step may pass a limit.
struct budget {
    std::size_t bytes = std::numeric_limits<std::size_t>::max(); ///< of objects that are moved
    std::size_t moves = std::numeric_limits<std::size_t>::max();
    std::uint64_t nanoseconds = std::numeric_limits<std::uint64_t>::max(); ///< by a steady clock

    /// Work without limits, until it is done.
    [[nodiscard]] static constexpr budget unlimited() noexcept { return {}; }

    friend bool operator==(const budget&, const budget&) = default;
};

} // namespace ARENITE_ABI
} // namespace arenite
