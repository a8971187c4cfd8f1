// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// The slots of a pool_resource found by address, and listed. A slot in the cache is taken by its
// bit and free to the user, so a list asks a snapshot of the cache for each; locate() serves
// checked builds, which settle nothing.
#include <arenite/pool/pool_resource.hpp>

#include <arenite/block/detail/region_joiner.hpp>
#include <arenite/core/detail/bits.hpp>

namespace arenite {
inline namespace ARENITE_ABI {

bool pool_resource::owns(const void* p) const noexcept {
    if (passes_through_)
        return singles_.owns(p);
    if (single_ != nullptr)
        // Unsigned: an address below the block is a very large difference.
        return address_of(p) - base_ < single_->bytes();
    return source_.find(p) != nullptr;
}

/// Free without asking the upstream: in the cache, in a block, or in memory that is held and uncut.
bool pool_resource::has_free_slot() const noexcept {
    const std::size_t slots = slots_in_use();
    return slots < capacity_ &&
           // Slots in use are fewer than taken: some wait in the cache.
           (slots < taken_ || single_ != nullptr || source_.has_empty_block() ||
            source_.blocks().has(detail::block_state::sweepable | partly_free | cut_ahead) ||
            (swept_ != nullptr && static_cast<std::size_t>(swept_->live) < slots_of(*swept_)));
}

void pool_resource::list_regions(region_sink& sink) const {
    list_others(sink);
    const detail::slot_cache::snapshot cached{cache_};
    for (detail::block* b = first_block(); b != nullptr; b = block_above(*b)) {
        if ((b->state & detail::block_state::large) != 0) {
            detail::region_joiner{sink}.add_large(*b);
            continue;
        }
        list_slots(sink, cached, {reinterpret_cast<const std::byte*>(b), b->bytes()},
                   slot_at(*b, 0), layout_.slots, b->occupancy(), known_slots(*b),
                   region_state::untouched);
    }
}

pool_resource::location pool_resource::locate(const std::byte* p) const noexcept {
    if (!owns(p))
        return {};
    detail::block* const b = single_ != nullptr ? single_ : source_.find(p);
    if ((b->state & detail::block_state::large) != 0)
        return {.what = location::large};
    const std::size_t i = p < slot_at(*b, 0) ? 0 : index_of(*b, p);
    const std::byte* const begin = slot_at(*b, i);
    if (i >= slots_of(*b) || p < begin || p >= begin + slot_bytes())
        return {.what = location::bookkeeping};
    const bool taken = i < known_slots(*b) && detail::bits::all_set(b->occupancy(), i, 1);
    return {.what = location::slot, .begin = begin, .taken = taken};
}

} // namespace ARENITE_ABI
} // namespace arenite
