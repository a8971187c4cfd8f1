// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/block/detail/block_source.hpp>
#include <arenite/block/detail/region_joiner.hpp>
#include <arenite/check/detail/poison.hpp>
#include <arenite/check/detail/resource_text.hpp>
#include <arenite/check/leak.hpp>
#include <arenite/check/passthrough.hpp>
#include <arenite/core/contract.hpp>
#include <arenite/core/detail/size.hpp>
#include <arenite/pool/detail/slot_pool.hpp>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <source_location>
#include <span>

// The part of slot_pool that is not inlined; each pool's source instantiates it. It calls these of
// the pool, which are private there:
//
//     refill()            puts a free slot or more into cache_; false where there is none
//     take_one()          the same for one slot, past cache_; nullptr
//     clear_slots(s)      clears the bits of slots, or refuses; takes them off taken_
//     clear_run(p, n)     the same for n neighbours from p on
//     freed()             after some of that: memory may go back
//     is_sparse()         is so little in use that slots held back would hold most of the memory?
//     locate(p)           where an address lies
//     refuse_foreign(p)   one that is not of this pool
//     has_room_for(n)     may there be one more slot beside n?
//     serves_large()      may there be anything but slots?
//     large_source()      the block_source of what is no slot
//     bytes_reserved(), has_free_slot()          for usage()
//     for_each_taken(f)                          f(void*) for each bit set
//     kind_name                                  its name in messages

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

template <class Derived>
slot_pool<Derived>::slot_pool(slot s) noexcept
    : cache_{bytes_of(s)},
      slot_alignment_{is_alignment(s.alignment) ? std::min(s.alignment, largest_slot) : 1},
      every_call_is_slow_{slow_only || passthrough()}, passes_through_{passthrough()},
      name_{s.name} {
    ARENITE_ASSERT(is_alignment(s.alignment), "a slot's alignment must be a power of two");
    cache_.set_room(!every_call_is_slow_);
}

template <class Derived>
void slot_pool<Derived>::own_slots(bool contents) noexcept {
    keeps_contents_ = contents;
    passes_through_ = false;
    every_call_is_slow_ = checks_enabled || (poison::active && !contents);
    cache_.set_room(!every_call_is_slow_);
}

template <class Derived>
bool slot_pool<Derived>::is_possible(slot s) noexcept {
    return is_alignment(s.alignment) && s.bytes <= largest_slot && s.alignment <= largest_slot;
}

template <class Derived>
std::size_t slot_pool<Derived>::bytes_of(slot s) noexcept {
    const std::size_t alignment = is_alignment(s.alignment) ? s.alignment : 1;
    return align_up(std::min(s.bytes + (s.bytes == 0), largest_slot),
                    std::min(alignment, largest_slot));
}

// ---- allocate -----------------------------------------------------------------------------------

template <class Derived>
void* slot_pool<Derived>::allocate_slow() noexcept {
    note_high_water();
    if (every_call_is_slow_) [[unlikely]]
        return allocate_careful();
    if (!cache_.reuse_run() && !self().refill())
        return nullptr;
    return cache_.take(slot_bytes());
}

/// In checked builds, under memory checkers and in passthrough: one slot at a time, so that each
/// can be looked at, filled and forbidden.
template <class Derived>
void* slot_pool<Derived>::allocate_careful() noexcept {
    if (passes_through_)
        return self().has_room_for(singles_.count() - large_count_)
                   ? singles_.try_allocate(slot_bytes(), slot_alignment_)
                   : nullptr;
    std::byte* const p = self().take_one();
    if (p == nullptr || keeps_contents_)
        return p;
    poison::undefined(p, slot_bytes());
    if constexpr (checks_enabled) {
        std::memset(p, 0xCD, slot_bytes()); // never written by the user
        poison::undefined(p, slot_bytes());
    }
    return p;
}

/// Memory of its own for a request that a slot does not serve.
template <class Derived>
void* slot_pool<Derived>::allocate_large(std::size_t bytes, std::size_t alignment) noexcept {
    [[maybe_unused]] const auto inside = threads_.enter(Derived::kind_name, this);
    ARENITE_ASSERT(is_alignment(alignment), "an alignment must be a power of two");
    if (!is_alignment(alignment) || bytes > max_object_bytes - default_alignment ||
        !self().serves_large())
        return nullptr;
    const std::size_t size = align_up(bytes + (bytes == 0), granule_bytes);
    void* p = nullptr;
    if (passes_through_) {
        p = singles_.try_allocate(bytes + (bytes == 0), alignment);
    } else if (block* const large = self().large_source().try_allocate_large(size, alignment)) {
        p = block_source::large_object(*large);
        poison::no_access(p, size);
        poison::undefined(p, bytes);
    }
    if (p == nullptr)
        return nullptr;
    large_bytes_ += passes_through_ ? 0 : size;
    ++large_count_;
    note_high_water();
    return p;
}

// ---- deallocate ---------------------------------------------------------------------------------

/// Makes room among the hot slots: the oldest half of them go into the bits.
template <class Derived>
void slot_pool<Derived>::deallocate_slow(std::byte* p) noexcept {
    constexpr std::size_t long_run = bits::word_bits; // after which more slots may come
    const auto clear_run = [this](std::byte* first, std::size_t n) { self().clear_run(first, n); };
    const auto clear_slots = [this](auto slots) { self().clear_slots(slots); };
    note_high_water();
    if (every_call_is_slow_) [[unlikely]]
        return deallocate_careful(p);
    if (!cache_.has_room()) { // many bits at a time here too, while no slot is requested
        if (cache_.hold_back(p) && !self().is_sparse() && slots_in_use() != 0)
            return;
        clear_held_back();
        return self().freed();
    }
    if (cache_.run_count() >= long_run) {
        // It has come to a colour or to the end of a block: as a rule it goes on behind. What was
        // hot before is so no more.
        cache_.drain_oldest(slot_cache::depth, clear_slots);
        cache_.drain_run(clear_run);
        cache_.begin_run(p);
    } else {
        cache_.drain_oldest(slot_cache::depth / 2, clear_slots);
        if (cache_.is_beside_latest(p)) {
            cache_.drain_run(clear_run);
            cache_.begin_run(p);
        } else {
            static_cast<void>(cache_.push(p));
        }
    }
    self().freed();
}

template <class Derived>
void slot_pool<Derived>::deallocate_careful(std::byte* p) noexcept {
    if (passes_through_)
        return singles_.deallocate(p);
    if constexpr (checks_enabled)
        check_free(p);
    if (!keeps_contents_) {
        if constexpr (checks_enabled) {
            poison::undefined(p, slot_bytes());
            std::memset(p, 0xDD, slot_bytes()); // no longer the user's
        }
        poison::no_access(p, slot_bytes());
    }
    self().clear_slots(std::span<std::byte* const>{&p, 1});
    self().freed(); // by this its memory may go back to the upstream
}

template <class Derived>
void slot_pool<Derived>::deallocate_large(void* p, std::size_t bytes) noexcept {
    [[maybe_unused]] const auto inside = threads_.enter(Derived::kind_name, this);
    note_high_water();
    if (passes_through_) {
        --large_count_;
        return singles_.deallocate(p);
    }
    block_source& source = self().large_source();
    block* const b = source.find(p); // any pointer: by a mask it may lead to no memory
    if (b == nullptr || (b->state & block_state::large) == 0)
        return refuse_free(p, "it is not of this pool, or is a slot of it");
    if (block_source::large_object(*b) != p ||
        block_source::large_bytes(*b) != align_up(bytes + (bytes == 0), granule_bytes))
        return refuse_free(p, "it was not allocated with this size");
    --large_count_;
    large_bytes_ -= block_source::large_bytes(*b);
    source.deallocate_large(*b, bytes_in_use());
}

/// All that waits in the cache goes into the bits: before somebody reads these.
template <class Derived>
void slot_pool<Derived>::settle() noexcept {
    note_high_water();
    cache_.drain([this](std::byte* first, std::size_t n) { self().clear_run(first, n); },
                 [this](auto slots) { self().clear_slots(slots); });
}

template <class Derived>
void slot_pool<Derived>::clear_held_back() noexcept {
    cache_.drain_held_back([this](auto slots) { self().clear_slots(slots); });
}

template <class Derived>
void slot_pool<Derived>::refuse_free(const void* p, const char* why) const noexcept {
    refuse_if_null(p);
    call_sites::write_of_violation(p);
    contract_violation_f(
        std::source_location::current(), "%p was freed into %s%s%s %p, slots of %zu bytes: %s", p,
        Derived::kind_name, name_ == nullptr ? "" : " ", name_ == nullptr ? "" : name_,
        static_cast<const void*>(this), slot_bytes(), why);
}

/// In a checked build a slot is known to be one before it is freed.
template <class Derived>
void slot_pool<Derived>::check_free(const std::byte* p) const noexcept {
    const location at = self().locate(p);
    if (at.what == location::foreign)
        return self().refuse_foreign(p);
    if (at.what == location::large)
        return refuse_free(p, "it is larger than a slot, and is to be freed with its size");
    if (at.what == location::bookkeeping)
        return refuse_free(p, "it is no slot, but what the pool keeps for itself");
    if (p != at.begin) {
        char why[80];
        std::snprintf(why, sizeof why, "it points %zu bytes into the slot at %p",
                      static_cast<std::size_t>(p - at.begin), static_cast<const void*>(at.begin));
        return refuse_free(p, why);
    }
    if (!at.taken)
        return refuse_free(p, "the slot is free already, or was never handed out");
}

// ---- what is where ------------------------------------------------------------------------------

template <class Derived>
std::size_t slot_pool<Derived>::bytes_in_use() const noexcept {
    return slots_in_use() * slot_bytes() + large_bytes_ + singles_.bytes();
}

template <class Derived>
void slot_pool<Derived>::note_high_water() const noexcept {
    high_water_ = std::max(high_water_, bytes_in_use());
}

template <class Derived>
arenite::usage slot_pool<Derived>::usage() const noexcept {
    note_high_water();
    return {.bytes_in_use = bytes_in_use(),
            .bytes_reserved = self().bytes_reserved() + singles_.bytes(),
            .high_water_bytes = high_water_,
            .live_allocations = passes_through_ ? singles_.count() : slots_in_use() + large_count_,
            .largest_hole_bytes = self().has_free_slot() ? slot_bytes() : 0};
}

template <class Derived>
void slot_pool<Derived>::list_slots(region_sink& sink, const slot_cache::snapshot& cached,
                                    std::span<const std::byte> memory, const std::byte* slots,
                                    const slot_layout& layout, const bits::word* words,
                                    std::size_t count, region_state rest) const {
    // A bit that is set does not say that a slot is in use: it may wait in the cache.
    const std::byte* from = memory.data(); // of what was not yet told
    region_state state = region_state::overhead;
    const auto until = [&](const std::byte* to, region_state next) {
        if (next == state && next != region_state::used)
            return;
        if (to != from)
            sink.add(
                {from, static_cast<std::size_t>(to - from), state, state == region_state::used});
        from = to;
        state = next;
    };
    const std::byte* behind = slots; // the slot before
    for (std::size_t i = 0; i < count; ++i) {
        const std::byte* const p = slots + layout.offset_of(i);
        if (p != behind)
            until(behind, region_state::overhead);
        const bool used = bits::all_set(words, i, 1) && !cached.contains(p);
        until(p, used ? region_state::used : region_state::free);
        behind = p + layout.slot_bytes();
    }
    until(behind, rest);
    if (const std::byte* const end = memory.data() + memory.size(); from != end)
        sink.add({from, static_cast<std::size_t>(end - from), state});
}

/// Memory that is neither slots nor a large allocation in use.
template <class Derived>
void slot_pool<Derived>::list_others(region_sink& sink) const {
    singles_.list_regions(sink);
    list_kept(self().large_source().large(), sink);
}

template <class Derived>
void slot_pool<Derived>::report_leaks() noexcept {
    leak_collector leaks{this, name_};
    settle();
    singles_.add_to(leaks);
    self().for_each_taken([&](void* p) { leaks.add(p, slot_bytes()); });
    const block_source& source = self().large_source();
    for (block* b = source.blocks().first(); b != nullptr; b = source.blocks().above(*b))
        if ((b->state & block_state::large) != 0)
            leaks.add(block_source::large_object(*b), block_source::large_bytes(*b));
    leaks.report();
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
