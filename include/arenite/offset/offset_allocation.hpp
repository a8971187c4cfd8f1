// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>

#include <cstdint>

namespace arenite {
inline namespace ARENITE_ABI {

/// The kind of an allocation, for memory in which the two kinds must be kept apart: see
/// offset_options::conflict_page.
enum class offset_kind : unsigned char {
    linear, ///< buffers, images of linear tiling
    optimal ///< images of optimal tiling
};

/// From which end a request is served, so that long-lived and short-lived parts do not mix.
enum class offset_placement : unsigned char {
    low, ///< the lowest offset of the holes examined
    high ///< the highest, at the end of its hole
};

/// The former name of offset_placement, until 1.0.
using placement [[deprecated("it is called arenite::offset_placement now")]] = offset_placement;

/// Optional properties of a request, besides size and alignment.
struct request_options {
    offset_kind kind = offset_kind::linear;
    offset_placement placement = offset_placement::low;
    bool pinned = false;         ///< no step moves it, until unpin()
    std::uint64_t user_data = 0; ///< stored if the allocator's options say so
};

/// An allocated part of a range: pass it to deallocate of its offset_allocator or offset_heap.
///
/// Trivially copyable, without a destructor: a copy refers to the same part. Node and generation
/// identify it, so that one that was freed, or is from another allocator, is detected; how
/// reliably, see Misuse of offset_allocator.
struct offset_allocation {
    static constexpr std::uint32_t no_node = 0xFFFF'FFFF;

    std::uint64_t offset = 0; ///< from the start of the range; in a heap, of the block
    std::uint64_t bytes = 0;  ///< the request, rounded up to the granularity
    std::uint32_t node = no_node;
    std::uint16_t generation = 0;

    friend bool operator==(const offset_allocation&, const offset_allocation&) = default;
};

} // namespace ARENITE_ABI
} // namespace arenite
