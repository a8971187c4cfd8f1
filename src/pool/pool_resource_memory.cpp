// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// The memory of a pool_resource: fresh slots, and what goes back. Read take_fresh() and
// make_fresh() first, which are for pools that keep their contents (object_pool), then
// try_reserve(), trim() and purge_holes().
#include <arenite/pool/pool_resource.hpp>

#include <arenite/block/detail/block.hpp>
#include <arenite/check/detail/poison.hpp>
#include <arenite/core/detail/bits.hpp>
#include <arenite/core/detail/size.hpp>
#include <arenite/core/error.hpp>

#include <algorithm>
#include <new>
#include <span>

// The ends of a pool's memory: slots that were never used, which come last where the others hold
// objects that wait, and what goes back.

namespace arenite {
inline namespace ARENITE_ABI {

pool_resource::pool_resource(slot s, const pool_options& options, std::size_t capacity,
                             bool keep_contents, void* holder, upstream up)
    : pool_resource{s, layout::of(s, options, options.mask_bytes, true), options, up} {
    capacity_ = std::min(capacity, capacity_);
    holder_ = holder;
    own_slots(keep_contents);
    if ((!options.eager && !options.prefault) || capacity_ == 0)
        return;
    if (keep_contents ? !make_fresh() : source_.take_empty_block() == nullptr)
        detail::refuse(*this, layout_.block_bytes, layout_.block_bytes);
}

std::byte* pool_resource::take_fresh() noexcept {
    if (!keeps_contents_ || taken_ >= capacity_ || !make_fresh())
        return nullptr;
    detail::block& b = *fresh_.from;
    if (fresh_.index == b.note * detail::bits::word_bits) {
        // All taken: fresh slots are handed out by their index, and the bits of those above it must
        // not look free.
        ::new (static_cast<void*>(b.occupancy() + b.note))
            detail::bits::word{~detail::bits::word{0}};
        begin_marks(b, 1);
        if (b.note == 0)
            detail::poison::no_access(slot_at(b, 0), b.bytes() - layout_.first);
        ++b.note;
    }
    if ((b.state & detail::block_state::empty) != 0)
        source_.open(b);
    std::byte* const p = slot_at(b, fresh_.index++);
    ++fresh_.opened;
    ++b.live;
    ++taken_;
    if (&b != swept_)
        reclassify(b);
    return p;
}

/// Sees to a block with fresh slots; false where there is no memory.
bool pool_resource::make_fresh() noexcept {
    if (fresh_.from != nullptr && fresh_.index != slots_of(*fresh_.from))
        return true;
    detail::block* b = source_.blocks().lowest(cut_ahead);
    if (b == nullptr) {
        b = source_.take_empty_block();
        if (b == nullptr)
            return false;
        source_.open(*b);
    }
    source_.blocks().set_state(*b, 0);
    fresh_.from = b;
    fresh_.index = 0;
    return true;
}

/// Slots that are in use or will be taken before the upstream is asked: few holes are not.
std::size_t pool_resource::slots_within_reach(const detail::block& b) const noexcept {
    const std::size_t slots = slots_of(b);
    const auto live = static_cast<std::size_t>(b.live);
    if (keeps_contents_ ||
        (b.state & (detail::block_state::sweepable | detail::block_state::empty)) != 0)
        return slots;
    if (&b != swept_)
        return live;
    const std::size_t passed_by = std::max(slots / sweep_divisor, detail::bits::word_bits);
    return std::max(live, slots - std::min(slots, passed_by));
}

bool pool_resource::try_reserve(std::size_t slots) noexcept {
    [[maybe_unused]] const auto inside = threads_.enter(kind_name, this);
    if (slots > capacity_ || single_ != nullptr || passes_through_)
        return slots <= capacity_;
    const std::span<const std::byte> fresh = source_.fresh();
    std::size_t have = fresh.size() / layout_.block_bytes * block_slots_ +
                       layout_.slots_in(fresh.size() % layout_.block_bytes);
    for (const detail::block* b = first_block(); b != nullptr; b = block_above(*b))
        if ((b->state & detail::block_state::large) == 0)
            have += slots_within_reach(*b);
    if (have >= slots)
        return true;
    while (detail::block* const b = source_.cut_fresh()) {
        if (!keeps_contents_)
            continue;
        source_.open(*b);
        source_.blocks().set_state(*b, cut_ahead);
    }
    const std::size_t missing = slots - have;
    const std::size_t blocks = missing / block_slots_ + (missing % block_slots_ != 0);
    const auto bytes = detail::checked_multiply(blocks, layout_.block_bytes);
    return bytes && source_.try_reserve(*bytes);
}

/// After source_ gave back what is empty.
void pool_resource::trim_fresh() noexcept {
    // Compared as an address only: its block may have gone back.
    if (fresh_.from != nullptr && source_.find(fresh_.from) != fresh_.from)
        fresh_.from = nullptr;
    // Counted anew, as blocks went with slots that were counted.
    fresh_.opened = 0;
    for (const detail::block* b = first_block(); b != nullptr; b = block_above(*b))
        fresh_.opened += known_slots(*b);
}

/// Takes a slot of a block, which is free, while the pool is being visited.
void pool_resource::take_at(detail::block& b, std::size_t i) noexcept {
    detail::bits::set_run(b.occupancy(), i, 1);
    if ((b.state & detail::block_state::empty) != 0)
        source_.open(b);
    ++b.live;
    ++taken_;
    if (&b != swept_)
        reclassify(b);
}

// ---- giving back --------------------------------------------------------------------------------

void pool_resource::trim() noexcept {
    [[maybe_unused]] const auto inside = threads_.enter(kind_name, this);
    settle();
    position_ = 0;
    if (single_ != nullptr || visits_ != 0)
        return;
    if (swept_ != nullptr)
        leave();
    if (fresh_.from != nullptr && fresh_.index == 0 &&
        (fresh_.from->state & detail::block_state::empty) == 0)
        source_.close_empty(*fresh_.from, bytes_in_use()); // it was never used
    while (detail::block* const b = source_.blocks().lowest(cut_ahead))
        source_.close_empty(*b, bytes_in_use());
    source_.trim();
    if (keeps_contents_)
        trim_fresh();
    if (!source_.purges())
        return;
    for (detail::block* b = source_.blocks().first(); b != nullptr; b = source_.blocks().above(*b))
        if ((b->state & detail::block_state::large) == 0)
            purge_holes(*b);
}

/// Gives the whole pages between slots in use back.
void pool_resource::purge_holes(detail::block& b) noexcept {
    const std::size_t known = b.note * detail::bits::word_bits;
    for (std::size_t i = 0; i <= known;) {
        const std::size_t end = detail::bits::next_set(b.occupancy(), i, known);
        std::byte* const from = slot_at(b, i);
        std::byte* const to =
            end == known ? reinterpret_cast<std::byte*>(&b) + b.bytes() : slot_at(b, end);
        if (from < to)
            source_.purge(from, static_cast<std::size_t>(to - from));
        // Behind the last slot that was ever begun all is free, up to the end of the block.
        if (end == known)
            return;
        i = detail::bits::next_clear(b.occupancy(), end, known);
    }
}

} // namespace ARENITE_ABI
} // namespace arenite
