// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>
#include <arenite/core/usage.hpp>
#include <arenite/report/sampled_site.hpp>
#include <arenite/report/usage_snapshot.hpp>

#include <cstddef>
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
/// Of two with sampled sites, what each call stack holds more or less follows:
///
///     | call site                         tag     before    after    change  +- error
///     | add_decal < play_a_round < main   decals       -  1.9 MiB  +1.9 MiB   0.9 MiB
///
/// Use when:  something grows, and nobody knows what: snapshots at the same point of two rounds.
/// Cost:      O(n log n) of the parts and the call stacks.
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
            return static_cast<std::int64_t>(after.bytes_in_use) -
                   static_cast<std::int64_t>(before.bytes_in_use);
        }
    };

    /// A call stack of a tag, whose samples are not those that they were.
    struct site_change {
        sampled_site before; ///< without samples where it is new
        sampled_site after;

        /// Bytes in use, estimated, and at most the standard error of that.
        [[nodiscard]] double growth() const noexcept { return after.bytes - before.bytes; }
        [[nodiscard]] double growth_error() const noexcept;
    };

    /// The parts whose bytes in use or reserved, or whose objects, are not as they were.
    [[nodiscard]] std::span<const change> changes() const noexcept;
    /// That which grew most first.
    [[nodiscard]] std::span<const site_change> sites() const noexcept;

    /// A line each; "nothing has changed" where there is none.
    void write_text(std::ostream& out) const;
    void write_json(std::ostream& out) const;
    /// The growth of each call stack, negative where it shrank, for `go tool pprof FILE`.
    void write_pprof(std::ostream& out) const;
    /// The call stacks that grew, for flame graphs.
    void write_collapsed(std::ostream& out) const;

private:
    friend usage_difference difference(const usage_snapshot& before, const usage_snapshot& after);
    void write_parts(std::ostream& out) const;
    void write_sites(std::ostream& out) const;

    std::vector<change> changes_;
    std::vector<site_change> sites_;
    std::vector<sampled_site> same_; ///< sites that are as they were
    std::size_t interval_ = 0;
};

[[nodiscard]] usage_difference difference(const usage_snapshot& before,
                                          const usage_snapshot& after);

} // namespace ARENITE_ABI
} // namespace arenite
