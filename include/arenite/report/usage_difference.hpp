// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>
#include <arenite/core/usage.hpp>
#include <arenite/report/usage_snapshot.hpp>

#include <cstdint>
#include <iosfwd>
#include <span>
#include <string>
#include <vector>

namespace arenite {
inline namespace ARENITE_ABI {

/// The changes from one usage_snapshot to another: the part that grew most comes first.
///
///     difference(before, now).write_text(std::cout);
///
///     | name                 before      after      change  objects
///     | affinities/sounds   512 KiB    1.5 MiB    +1.0 MiB    +4096
///     | game/level 2              -    1.0 MiB    +1.0 MiB        -  new
///     | game/level 1        1.0 MiB          -    -1.0 MiB        -  gone
///
/// Use when:  something grows, and nobody knows what: snapshots at the same point of two rounds.
/// Cost:      O(n log n) of the parts.
/// Threads:   as any value.
/// Failure:   std::bad_alloc from the C++ library.
class usage_difference {
public:
    struct change {
        std::string name;
        arenite::usage before; ///< zero where it is new
        arenite::usage after;  ///< zero where it is gone
        bool is_new = false;
        bool is_gone = false;

        /// Bytes in use.
        [[nodiscard]] std::int64_t growth() const noexcept {
            return static_cast<std::int64_t>(after.bytes_in_use - before.bytes_in_use);
        }
    };

    /// The parts whose bytes in use or reserved, or whose objects, are not as they were.
    [[nodiscard]] std::span<const change> changes() const noexcept { return changes_; }

    /// A line each; "nothing has changed" where there is none.
    void write_text(std::ostream& out) const;
    void write_json(std::ostream& out) const;

private:
    friend usage_difference difference(const usage_snapshot& before, const usage_snapshot& after);

    std::vector<change> changes_;
};

[[nodiscard]] usage_difference difference(const usage_snapshot& before,
                                          const usage_snapshot& after);

} // namespace ARENITE_ABI
} // namespace arenite
