// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Slots of any length in maps beside the memory (slots_maps.hpp): making and ending, allocate by
// best fit, deallocate, which merges neighbours. Reports are in slots_resource_report.cpp. A node
// stands for each stretch, used or free, in a pool of its own, so memory that is lent is never read
// or written; read take() and give_back(), which keep the links between neighbours, the entries of
// stretches and the map of free slots in step. take() makes its nodes first, as nothing may fail
// once a link has changed.
#include "slots_maps.hpp"

#include <arenite/check/detail/poison.hpp>
#include <arenite/check/passthrough.hpp>
#include <arenite/core/contract.hpp>
#include <arenite/core/detail/bits.hpp>
#include <arenite/core/detail/size.hpp>
#include <arenite/os/page_resource.hpp>

#include <algorithm>
#include <new>
#include <utility>

namespace arenite {
inline namespace ARENITE_ABI {

namespace {

constexpr std::size_t slot_align_divisor = 4; // nor one for an alignment of more than this
constexpr int slot_looks = 8;                 // at slots that an alignment may make too short

} // namespace

/// The maps are made with the first node, so that a resource that is never used has no memory.
slots_resource::node* slots_resource::make_node() noexcept {
    if (maps_ == nullptr) {
        void* const place = upstream_.try_allocate(sizeof(maps), alignof(maps));
        if (place == nullptr)
            return nullptr;
        maps_ = ::new (place) maps{policy_, upstream_};
    }
    void* const p = maps_->nodes.try_allocate();
    if (p == nullptr)
        return nullptr;
    ++maps_->node_count;
    return static_cast<node*>(p);
}

void slots_resource::drop_node(node* gone) noexcept {
    --maps_->node_count;
    maps_->nodes.deallocate(gone);
}

/// Only where no node is left, since all nodes lie in the maps' pool.
void slots_resource::drop_maps() noexcept {
    if (maps_ == nullptr)
        return;
    maps_->~maps();
    upstream_.deallocate(std::exchange(maps_, nullptr), sizeof(maps), alignof(maps));
}

// ---- making -------------------------------------------------------------------------------------

slots_resource::slots_resource(const slots_options& options) noexcept
    : slots_resource{options, upstream{&page_source()}} {}

slots_resource::slots_resource(const slots_options& options, upstream up) noexcept
    : floor_{is_alignment(options.alignment) ? std::max(options.alignment, least_alignment)
                                             : least_alignment},
      policy_{options.policy}, passes_through_{passthrough()}, upstream_{up},
      source_{{.block_bytes = options.block_bytes, .policy = options.policy}, up, this} {
    ARENITE_ASSERT(is_alignment(options.alignment), "an alignment must be a power of two");
}

slots_resource::~slots_resource() {
    if (checks_enabled || passes_through_) [[unlikely]] {
        report_leaks();
        for (detail::block* b = source_.blocks().first(); b != nullptr;
             b = source_.blocks().above(*b)) {
            if ((b->state & detail::block_state::open) == 0)
                continue;
            // Nodes that are left would be leaks of the pool of nodes, too.
            for (node* n = slots::of(*b).first; n != nullptr;)
                drop_node(std::exchange(n, n->above));
        }
    }
    drop_maps();
}

// ---- allocate -----------------------------------------------------------------------------------

void* slots_resource::try_allocate(std::size_t bytes, std::size_t alignment) noexcept {
    [[maybe_unused]] const auto inside = threads_.enter("slots_resource", this);
    ARENITE_ASSERT(is_alignment(alignment), "an alignment must be a power of two");
    if (!is_alignment(alignment) || bytes > detail::max_object_bytes)
        return nullptr;
    alignment = std::max(alignment, floor_);
    if (passes_through_) {
        void* const p = singles_.try_allocate(bytes + (bytes == 0), alignment);
        high_water_ = std::max(high_water_, singles_.bytes());
        return p;
    }
    const std::size_t length = rounded(bytes, alignment);
    const std::size_t most = source_.mask_bytes() / large_divisor;
    std::byte* p = nullptr;
    if (length < source_.mask_bytes() && alignment <= source_.mask_bytes() / slot_align_divisor) {
        fit found = best_fit(length, alignment);
        if (found.slot == nullptr && length <= most) {
            node* const opened = open_block();
            if (opened == nullptr)
                return nullptr;
            found = best_fit(length, alignment);
            if (found.slot == nullptr) // a first block may be short
                close_block(*opened);
        }
        if (found.slot != nullptr) {
            p = take(found, length, alignment);
            if (p == nullptr) {
                // A block that was just opened for this and is not used after all.
                if (found.slot->below == nullptr && found.slot->above == nullptr)
                    close_block(*found.slot);
                return nullptr;
            }
        }
    }
    if (p == nullptr)
        return allocate_large(bytes, align_up(length, detail::granule_bytes), alignment);
    bytes_in_use_ += length;
    high_water_ = std::max(high_water_, bytes_in_use_);
    ++live_;
    detail::poison::undefined(p, bytes);
    return p;
}

/// A block for one object alone.
void* slots_resource::allocate_large(std::size_t bytes, std::size_t size,
                                     std::size_t alignment) noexcept {
    detail::block* const large = source_.try_allocate_large(size, alignment);
    if (large == nullptr)
        return nullptr;
    void* const p = detail::block_source::large_object(*large);
    bytes_in_use_ += size;
    high_water_ = std::max(high_water_, bytes_in_use_);
    ++live_;
    detail::poison::no_access(p, size);
    detail::poison::undefined(p, bytes);
    return p;
}

/// The shortest free slot with room for `length` bytes at an aligned place; where an alignment
/// makes several too short, one that has room wherever it begins.
slots_resource::fit slots_resource::best_fit(std::size_t length,
                                             std::size_t alignment) const noexcept {
    if (maps_ == nullptr)
        return {};
    const free_slots& free = maps_->free;
    node* found = free.first(length);
    // Slots in the order of their lengths: each further one is longer, and so likelier to fit.
    for (int look = 0; look < slot_looks && found != nullptr; ++look) {
        if (found->bytes - length >= padding_for(found->begin, alignment))
            return {found, look == 0};
        found = free.after(*found);
    }
    return {free.first(length + alignment - least_alignment), false};
}

/// One free slot more: a whole block.
slots_resource::node* slots_resource::open_block() noexcept {
    node* const whole = make_node();
    if (whole == nullptr)
        return nullptr;
    detail::block* const b = source_.take_empty_block();
    if (b == nullptr) {
        drop_node(whole);
        return nullptr;
    }
    source_.open(*b);
    b->live = 0;
    std::byte* const begin = first_of(*b);
    whole->below = whole->above = nullptr;
    whole->begin = begin;
    whole->bytes = static_cast<std::uint32_t>(end_of(*b) - begin);
    slots& s = *::new (static_cast<void*>(&slots::of(*b))) slots{.first = whole};
    ::new (static_cast<void*>(&s + 1)) node* [slots::stretches(*b)] {};
    s.enter(*b, *whole);
    detail::poison::no_access(begin, whole->bytes);
    maps_->free.insert(*whole);
    return whole;
}

/// Gives up a block that is one free slot.
void slots_resource::close_block(node& whole) noexcept {
    detail::block& b = source_.head_of(whole.begin);
    maps_->free.erase(whole);
    drop_node(&whole);
    source_.close_empty(b, bytes_in_use_);
}

/// The first aligned `length` bytes of a free slot, in one of their own; what lies before and
/// behind them stays free. nullptr where there is no memory for their nodes; nothing has changed.
std::byte* slots_resource::take(fit found, std::size_t length, std::size_t alignment) noexcept {
    node& from = *found.slot;
    const auto bytes = static_cast<std::uint32_t>(length);
    const auto gap = static_cast<std::uint32_t>(padding_for(from.begin, alignment));
    const std::uint32_t rest = from.bytes - gap - bytes;
    node* taken = &from;
    node* behind = nullptr;
    if ((gap != 0 || rest != 0) && (taken = make_node()) == nullptr)
        return nullptr;
    if (gap != 0 && rest != 0 && (behind = make_node()) == nullptr) {
        drop_node(taken);
        return nullptr;
    }
    free_slots& free = maps_->free;
    std::byte* const p = from.begin + gap;
    detail::block& b = source_.head_of(p);
    slots& s = slots::of(b);
    if (gap == 0 && rest == 0) {
        free.erase(from);
    } else if (gap == 0) { // the rest keeps its node, and mostly its place in the map
        // It was the first slot of `length` or more, so none lies between: a rest that is still so
        // long keeps its place in the order.
        const bool stays = found.is_first && rest >= length && !free_slots::is_short(rest);
        if (!stays)
            free.erase(from);
        taken->begin = p;
        taken->below = from.below;
        taken->above = &from;
        (from.below != nullptr ? from.below->above : s.first) = taken;
        from.below = taken;
        if (node*& there = s.entry(b, p); there == &from)
            there = taken;
        from.begin = p + length;
        from.bytes = rest;
        s.enter(b, from);
        if (!stays)
            free.insert(from);
    } else {
        free.erase(from);
        from.bytes = gap;
        taken->begin = p;
        taken->below = &from;
        taken->above = from.above;
        from.above = taken;
        if (rest != 0) {
            behind->begin = p + length;
            behind->bytes = rest;
            behind->below = taken;
            behind->above = taken->above;
            taken->above = behind;
        }
        node* const last = rest != 0 ? behind : taken;
        if (last->above != nullptr)
            last->above->below = last;
        s.enter(b, *taken);
        if (rest != 0) {
            s.enter(b, *behind);
            free.insert(*behind);
        }
        free.insert(from);
    }
    taken->bytes = bytes;
    taken->used = true;
    b.live += static_cast<std::int32_t>(length);
    return p;
}

// ---- deallocate ---------------------------------------------------------------------------------

/// Neighbours are found by the links between nodes, free ones are joined, and the map of free slots
/// learns only of the result.
void slots_resource::give_back(void* p, std::size_t bytes, std::size_t alignment) noexcept {
    [[maybe_unused]] const auto inside = threads_.enter("slots_resource", this);
    if (passes_through_)
        return singles_.deallocate(p);
    if constexpr (checks_enabled)
        check_free(p, bytes, alignment);
    detail::block* const found = head_of_any(source_, p);
    if (found == nullptr || found->owner != this)
        return refuse_free(p, "it is not of this resource, or is free already");
    detail::block& b = *found;
    if ((b.state & detail::block_state::large) != 0) {
        if (detail::block_source::large_object(b) != p)
            return refuse_free(p, "it points into a large allocation, not to its begin");
        bytes_in_use_ -= detail::block_source::large_bytes(b);
        --live_;
        return source_.deallocate_large(b, bytes_in_use_);
    }
    node* freed = (b.state & detail::block_state::open) != 0 ? slots::find(b, p) : nullptr;
    if (freed == nullptr)
        return refuse_free(p, "it is free already, or no allocation begins there");
    detail::poison::no_access(p, freed->bytes);
    bytes_in_use_ -= freed->bytes;
    --live_;
    b.live -= static_cast<std::int32_t>(freed->bytes);
    slots& s = slots::of(b);
    free_slots& free = maps_->free;
    // At most one free neighbour on each side: two are never left side by side.
    if (node* const above = freed->above; above != nullptr && !above->used) {
        s.remove(b, *above);
        free.erase(*above);
        freed->bytes += above->bytes;
        freed->above = above->above;
        if (above->above != nullptr)
            above->above->below = freed;
        drop_node(above);
    }
    if (node* const below = freed->below; below != nullptr && !below->used) {
        s.remove(b, *freed);
        free.erase(*below);
        below->bytes += freed->bytes;
        below->above = freed->above;
        if (freed->above != nullptr)
            freed->above->below = below;
        drop_node(std::exchange(freed, below));
    }
    // Merged with both neighbours it is the whole block.
    if (b.live == 0) {
        drop_node(freed);
        return source_.close_empty(b, bytes_in_use_);
    }
    free.insert(*freed);
}

} // namespace ARENITE_ABI
} // namespace arenite
