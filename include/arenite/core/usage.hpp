// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>

#include <cstddef>

namespace arenite {
inline namespace ARENITE_ABI {

/// What a resource holds at this moment, in bytes and counts; 0 where a figure is unknown.
///
/// bytes_in_use counts what is handed out, rounded up as the strategy rounds; bytes_reserved what
/// the strategy holds from its upstream for it, its own bookkeeping included. (Offset allocators
/// keep that elsewhere: their bookkeeping_bytes() are not in it.)
struct usage {
    std::size_t bytes_in_use = 0;
    std::size_t bytes_reserved = 0;
    std::size_t high_water_bytes = 0;   ///< largest bytes_in_use seen, as taken at slow calls
    std::size_t live_allocations = 0;   ///< 0 where the strategy does not know
    std::size_t largest_hole_bytes = 0; ///< largest request known to fit without the upstream

    friend bool operator==(const usage&, const usage&) = default;
};

} // namespace ARENITE_ABI
} // namespace arenite
