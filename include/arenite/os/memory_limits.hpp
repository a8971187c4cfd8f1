// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>

#include <cstdint>
#include <optional>

namespace arenite {
inline namespace ARENITE_ABI {

/// The memory that the system lets this process have, and how scarce it is, as Linux has it: its
/// control group (version 2), those above it, and the pressure-stall files.
///
///     budget_group all{2_GiB};
///     const memory_limits now = memory_limits::read();        // now and then
///     if (now.most_bytes)
///         all.set_budget(*now.most_bytes / 10 * 9);
///     if (now.stalled_percent.value_or(0) > 10)
///         caches.clear();
///
/// Use when:  a program in a container should stay within its limits before the kernel ends it.
/// Cost:      a few small files for each group above, some 0.1 ms.
/// Limits:    Linux with control groups of version 2 at /sys/fs/cgroup; elsewhere nothing is known.
/// Threads:   any.
/// Failure:   what cannot be read or is no number is not known.
struct memory_limits {
    std::optional<std::uint64_t> most_bytes;   ///< the smallest memory.max: beyond it the end
    std::optional<std::uint64_t> slowed_bytes; ///< the smallest memory.high: beyond it all waits
    std::optional<std::uint64_t> bytes_in_use; ///< memory.current of the group
    /// Share of the last ten seconds in which some task waited for memory, in percent: of the group
    /// or, where it does not tell, of the system.
    std::optional<double> stalled_percent;

    [[nodiscard]] static memory_limits read() noexcept;

    /// From a group's folder and those above it down to `root`, which is the first part of it.
    [[nodiscard]] static memory_limits read(const char* folder, const char* root) noexcept;
};

} // namespace ARENITE_ABI
} // namespace arenite
