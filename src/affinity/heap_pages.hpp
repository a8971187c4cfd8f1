// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/alignment.hpp>
#include <arenite/core/config.hpp>
#include <arenite/ordered/detail/slab_heap.hpp>
#include <arenite/predecessor/intrusive_resource.hpp>
#include <arenite/predecessor/slots_resource.hpp>

#include <algorithm>
#include <cstddef>
#include <new>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// Where the resource of a thread heap lies: whole pages, which can be returned without its
/// neighbours'.
///
/// Heaps begin at different distances from a page: at the same one the state of a size class would
/// be in the same cache set in every heap.
struct alignas(4096) heap_pages {
    static constexpr std::size_t bytes =
        std::max({sizeof(slab_heap), sizeof(intrusive_resource), sizeof(slots_resource)});
    static constexpr std::size_t colours = 8;

    [[nodiscard]] void* begin() noexcept {
        return room + 64 * (address_of(this) / sizeof(heap_pages) % colours);
    }
    /// The pages with this begin().
    [[nodiscard]] static heap_pages& around(void* begin) noexcept {
        return *std::launder(reinterpret_cast<heap_pages*>(
            static_cast<std::byte*>(begin) - address_of(begin) % alignof(heap_pages)));
    }

    std::byte room[bytes + 64 * (colours - 1)];
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
