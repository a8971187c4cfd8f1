// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>

#include <cstddef>

namespace arenite {
inline namespace ARENITE_ABI {

/// Figures of a resource at one moment, in bytes and counts; 0 where one is unknown.
///
/// bytes_in_use counts what is allocated, rounded up as the resource rounds; bytes_reserved what
/// the resource holds from its upstream, including its own bookkeeping. (Offset allocators keep
/// their bookkeeping elsewhere: see their bookkeeping_bytes().)
struct usage {
    std::size_t bytes_in_use = 0;
    std::size_t bytes_reserved = 0;
    std::size_t high_water_bytes = 0;   ///< largest bytes_in_use, sampled at slow calls
    std::size_t live_allocations = 0;   ///< 0 if the resource does not know
    std::size_t largest_hole_bytes = 0; ///< largest request known to fit without the upstream

    /// Adds those of another resource. High waters are added, too: as much as both held at most,
    /// if both did so at once; of the largest holes the larger one counts.
    constexpr usage& operator+=(const usage& other) noexcept {
        bytes_in_use += other.bytes_in_use;
        bytes_reserved += other.bytes_reserved;
        high_water_bytes += other.high_water_bytes;
        live_allocations += other.live_allocations;
        if (largest_hole_bytes < other.largest_hole_bytes)
            largest_hole_bytes = other.largest_hole_bytes;
        return *this;
    }

    friend bool operator==(const usage&, const usage&) = default;
};

} // namespace ARENITE_ABI
} // namespace arenite
