// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// A snapshot of a pool's free slots for the listing of its memory; all else is inlined. Slots that
// wait are hot, held back, in the window or in the run: contains() looks at all four.

#include <arenite/pool/detail/slot_cache.hpp>

#include <algorithm>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

slot_cache::snapshot::snapshot(const slot_cache& cache) noexcept
    : cache_{cache}, count_{cache.hot_count_ + cache.held_back_} { // one of them is 0
    // Sorted once: a list asks for every slot of the pool.
    std::copy_n(cache.hot_, count_, sorted_);
    std::sort(sorted_, sorted_ + count_);
}

bool slot_cache::snapshot::contains(const std::byte* p) const noexcept {
    return (p >= cache_.cursor_ && p < cache_.limit_) ||
           (p >= cache_.run_begin_ && p < cache_.run_end_) ||
           std::binary_search(sorted_, sorted_ + count_, p);
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
