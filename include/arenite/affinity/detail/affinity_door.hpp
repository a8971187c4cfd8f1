// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/affinity/detail/thread_table.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/core/config.hpp>
#include <arenite/ordered/detail/size_class.hpp>
#include <arenite/ordered/detail/slab_front.hpp>

#include <cstddef>
#include <cstdint>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// The short way to an object of an affinity, for callers that know its size and no alignment.
///
/// A slot whose size is divisible by 16 is aligned to 16, any other to 8. So each object gets the
/// alignment that one of its size can need (natural_alignment), though none is computed.
///
/// Use when:  a hook has a few affinities, and a virtual call passes the number of one of them.
/// Cost:      three tests, the loads of thread_table, and slab_heap's.
/// Limits:    objects of up to 1 KiB, and affinities of up to 16 bytes of alignment, have it; for
///            all others, and where no slot lies ready, it is closed.
/// Threads:   any.
class affinity_door {
public:
    /// Closed for all.
    constexpr affinity_door() noexcept = default;

    /// To the affinity that has this place in the tables of threads, and this alignment of its own.
    constexpr affinity_door(thread_place place, std::size_t alignment) noexcept
        : place_{alignment > default_alignment ? 0 : thread_table::place_at(place, alignment)},
          offsets_{row(alignment > size_class::least_alignment ? default_alignment
                                                               : size_class::least_alignment)} {}

    /// A slot that lies ready; nullptr where the call is a longer one.
    [[nodiscard]] ARENITE_INLINE void* try_take(std::size_t bytes) const noexcept {
        if constexpr (slow_only)
            return nullptr;
        if (!size_class::is_listed(bytes, 1)) [[unlikely]]
            return nullptr;
        slab_front* const h = thread_table::ready_at(place_);
        if (h == nullptr) [[unlikely]]
            return nullptr;
        return h->try_take_at(offsets_[(bytes + 7) / 8]);
    }

private:
    /// The row that size_class::offset_of_listed looks up for one alignment.
    [[nodiscard]] static constexpr const std::uint16_t* row(std::size_t alignment) noexcept {
        return size_class::listed.rows[alignment].of;
    }

    thread_place place_ = 0; ///< of the half of the table that serves its alignment
    const std::uint16_t* offsets_ = row(size_class::least_alignment);
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
