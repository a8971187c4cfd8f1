// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>

namespace arenite {
inline namespace ARENITE_ABI {

/// Limits for one step of incremental work: `heap.step(budget{.bytes = 64_KiB})`.
///
/// A step ends at the first limit that it reaches; what is not set is unlimited. It also ends after
/// looking at too many objects that need no move, and the next step continues behind them: after 64
/// looks, plus 4 for each move or one for each 256 bytes that it may make. The function that takes
/// a budget documents what a move is, and by how much a step may exceed a limit.
struct budget {
    std::size_t bytes = std::numeric_limits<std::size_t>::max(); ///< of objects that are moved
    std::size_t moves = std::numeric_limits<std::size_t>::max();
    std::uint64_t nanoseconds = std::numeric_limits<std::uint64_t>::max(); ///< by a steady clock

    /// No limits: work until it is done.
    [[nodiscard]] static constexpr budget unlimited() noexcept { return {}; }

    friend bool operator==(const budget&, const budget&) = default;
};

} // namespace ARENITE_ABI
} // namespace arenite
