// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>

#include <cstdint>

namespace arenite {
inline namespace ARENITE_ABI {

/// What lies at an offset, for memory where one sort must keep away from the other: see
/// offset_options::conflict_page.
enum class offset_kind : unsigned char {
    linear, ///< buffers, images of linear tiling
    optimal ///< images of optimal tiling
};

/// From which end a request is served, so that what lives long and what lives short do not mix.
enum class placement : unsigned char {
    low, ///< the lowest offset of the holes that are looked at
    high ///< the highest, at the end of its hole
};

/// What a request for a part of a range may say besides its size and its alignment.
struct request_options {
    offset_kind kind = offset_kind::linear;
    arenite::placement placement = arenite::placement::low;
    bool pinned = false;         ///< no step moves it, until unpin()
    std::uint64_t user_data = 0; ///< kept where the options of the allocator ask for it
};

/// A part of a range that was handed out: what an offset_allocator or offset_heap takes back.
///
/// Trivially copyable, without a destructor: a copy stands for the same part. Node and generation
/// say which one, so that one that was freed, or is of another allocator, is known as such: how
/// surely, see Misuse of offset_allocator.
struct offset_allocation {
    static constexpr std::uint32_t no_node = 0xFFFF'FFFF;

    std::uint64_t offset = 0; ///< from the begin of the range; in a heap, of the block
    std::uint64_t bytes = 0;  ///< the request, rounded up to the granularity
    std::uint32_t node = no_node;
    std::uint16_t generation = 0;

    friend bool operator==(const offset_allocation&, const offset_allocation&) = default;
};

} // namespace ARENITE_ABI
} // namespace arenite
