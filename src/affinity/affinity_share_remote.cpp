// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Objects of a share's heap that other threads free: they mark them, its thread drains them, and
// their memory may go back to the system meanwhile.
#include <arenite/affinity/detail/affinity_share.hpp>

#include <arenite/core/alignment.hpp>
#include <arenite/core/contract.hpp>
#include <arenite/ordered/detail/slab_survey.hpp>
#include <arenite/os/detail/platform.hpp>

#include <algorithm>
#include <cstring>
#include <mutex>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

// ---- what other threads free --------------------------------------------------------------------
//
//   freeing thread   set the slot's bit | queued? if not: queued = true, push   (all seq_cst)
//   owner            take the list | queued = false | take the bits             (all seq_cst)
//
// A bit that is set after the owner took the bits finds `queued` false, and pushes again; one that
// is set before is taken. So no bit stays behind.

void affinity_share::deallocate_remotely(void* p, std::size_t bytes, std::size_t alignment,
                                         slab_heap* own) noexcept {
    const slab* const s = heap().slabs().find_slab(p);
    if (s == nullptr) [[unlikely]]
        return owner_.refuse_free(p, bytes, "no allocation begins there, or it is free already");
    const slab_source& slabs = heap().slabs();
    const std::size_t index = slabs.index_of(*s, p);
    // A place in the head of a page has no bit; and what one thread frees of another is not quick.
    if (index >= s->slots || p != slabs.begin_of(*s) + index * s->slot_bytes) [[unlikely]]
        return owner_.refuse_free(p, bytes, "it points into an allocation, not to its begin");
    const std::size_t slots = slab_survey::slots_at(slabs, *s, index);
    const std::size_t room = slots * s->slot_bytes;
    if (bytes != unknown_bytes && !slab_survey::may_have(*s, slots, bytes, alignment))
        return owner_.refuse_size(p, bytes, room, unknown_bytes);
    const std::size_t word = s->first_word() + index / bits::word_bits;
    const bits::word slot = bits::word{1} << index % bits::word_bits;
    // The owner may be writing bits of neighbours. That of this slot was cleared before p was
    // handed out, so a 1 there means that it is free.
    if ((glance(s->bitmap()[index / bits::word_bits]) & slot) != 0) [[unlikely]] // it would be 0
        return owner_.refuse_free(p, bytes, "it is free already, or was never handed out");
    remote_frees* const r = remote_frees::of(remote_frees::head_of(p));
    if (r == nullptr) [[unlikely]]
        return push_unmarked(p, room);
    // Before the bit is set: the owner's books follow the bit.
    if (own != nullptr)
        own->classes().count_foreign_free(room);
    else
        uncounted_.add(1, room);
    // Before the bit, too: whoever finds that asks here whose it is.
    r->heap.store(this, std::memory_order_relaxed);
    if (!r->mark(word, slot)) [[unlikely]]
        return owner_.refuse_free(p, bytes, "another thread freed it already");
    // The block may be gone from here on.
    if (!r->queued.load(std::memory_order_seq_cst) &&
        !r->queued.exchange(true, std::memory_order_seq_cst))
        queue_.push(*r);
}

// Without memory for bits objects hang on each other by their first word; the second is their size.

void affinity_share::push_unmarked(void* p, std::size_t room) noexcept {
    uncounted_.add(1, room);
    std::memcpy(static_cast<std::byte*>(p) + sizeof(void*), &room, sizeof room);
    void* head = unmarked_.load(std::memory_order_relaxed);
    do
        std::memcpy(p, &head, sizeof head);
    while (!unmarked_.compare_exchange_weak(head, p, std::memory_order_release,
                                            std::memory_order_relaxed));
}

/// One at a time, and the others stay in the list: who handles misuse may never come back.
void affinity_share::drain_unmarked() noexcept {
    while (void* const p = unmarked_.exchange(nullptr, std::memory_order_acquire)) {
        std::size_t words[2]; // the rest, and its own size
        std::memcpy(words, p, sizeof words);
        void *const rest = reinterpret_cast<void*>(words[0]), *head = nullptr;
        if (rest != nullptr && !unmarked_.compare_exchange_strong(head, rest)) {
            void* last = rest;
            for (void* next = rest; next != nullptr; std::memcpy(&next, last, sizeof next))
                last = next;
            do
                std::memcpy(last, &head, sizeof head);
            while (!unmarked_.compare_exchange_weak(head, rest));
        }
        uncounted_.add(-1, 0 - words[1]);
        heap().deallocate(p);
    }
}

/// The block is another heap's by now: what was freed there since is that one's.
void affinity_share::forward(remote_frees& r) noexcept {
    const bool any = r.has_any();
    // After the bits: who set one named its heap before.
    auto* const other = static_cast<affinity_share*>(r.heap.load(std::memory_order_relaxed));
    if (other == this && any) { // a block of which nothing lives has nothing left to free
        if (!locked_)
            heap().gate().leave();
        contract_violation_f(std::source_location::current(),
                             "an object in the block at %p was freed into %s by two "
                             "threads",
                             static_cast<const void*>(r.where), title());
    }
    if (other == this || other == nullptr)
        return;
    if (any && !r.queued.exchange(true, std::memory_order_seq_cst))
        other->queue_.push(r);
}

/// Frees what is marked in one block; true if anything was.
bool affinity_share::drain(remote_frees& r) noexcept {
    slab_source& slabs = heap().slabs();
    // The record outlives its block: another heap may have one at that place by now.
    block* const b = slabs.blocks().find(r.where);
    if (b != r.where || (b->state & block_state::open) == 0) {
        forward(r);
        return false;
    }
    bool any = false;
    for (std::size_t i = 0; i < remote_frees::words; ++i) {
        // Most words are 0, and a load is cheaper than an exchange.
        if (r.freed[i].load(std::memory_order_seq_cst) == 0)
            continue;
        any = true;
        bits::word freed = r.freed[i].exchange(0, std::memory_order_seq_cst);
        if (const bits::word twice = freed & slabs.free_slots(*b, i); twice != 0) [[unlikely]] {
            // Whoever handles it may never come back: what else was freed is not lost.
            if (freed != twice)
                r.freed[i].fetch_or(freed & ~twice, std::memory_order_seq_cst);
            if (r.has_any() && !r.queued.exchange(true, std::memory_order_seq_cst))
                queue_.push(r);
            freed = twice;
        }
        // The block went with its last object: no other bit of it can be set.
        if (!heap().release_word(*b, i, freed))
            break;
    }
    return any;
}

// ---- giving back from afar ----------------------------------------------------------------------
//
// The thread may be at work meanwhile: its lock keeps its slabs and blocks as they are, and it
// drains nothing, so memory that others have freed belongs to no thread. The bits stay for a second
// free to find.

std::size_t affinity_share::trim_from_afar() noexcept {
    const std::lock_guard lock{lock_};
    block_source& source = heap().slabs().blocks();
    source.trim();
    std::size_t purged = 0;
    for (block* b = source.blocks().first(); b != nullptr; b = source.blocks().above(*b))
        if ((b->state & block_state::open) != 0)
            if (const remote_frees* const r = remote_frees::find(*b))
                purged += purge_remote_frees(*b, *r);
    return purged;
}

std::size_t affinity_share::purge_remote_frees(block& b, const remote_frees& r) noexcept {
    std::size_t purged = 0;
    heap().slabs().for_each_slab(b, [&](const slab& s) {
        const auto* const first = r.freed + s.first_word();
        if (s.slots * std::size_t{s.slot_bytes} >= os::platform::page_bytes() &&
            std::any_of(first, first + s.words(), [](const auto& w) { return w.load() != 0; }))
            purged += purge_remote_frees(s, r);
    });
    return purged;
}

std::size_t affinity_share::purge_remote_frees(const slab& s, const remote_frees& r) noexcept {
    bits::word freed[remote_frees::words];
    // The owner takes no bits meanwhile, as that needs the lock: so it can't hand out what is
    // purged here.
    const std::atomic<bits::word>* const marks = r.freed + s.first_word();
    for (std::size_t i = 0; i < s.words(); ++i)
        freed[i] = marks[i].load(std::memory_order_acquire);
    const slab_source& slabs = heap().slabs();
    const std::size_t page = os::platform::page_bytes();
    std::byte* const begin = slabs.begin_of(s);
    std::size_t purged = 0;
    for (std::size_t i = 0; i < s.slots;) {
        const std::size_t first = bits::next_set(freed, i, s.slots);
        i = bits::next_clear(freed, first, s.slots);
        const std::uintptr_t from = align_up(address_of(begin + first * s.slot_bytes), page);
        const std::uintptr_t to = align_down(address_of(begin + i * s.slot_bytes), page);
        if (from < to) {
            slabs.blocks().purge(begin + (from - address_of(begin)), to - from);
            purged += to - from;
        }
    }
    return purged;
}

/// A locked share gets no remote frees, but may stand where an unlocked one was.
void affinity_share::hand_on() noexcept {
    queue_.take(all_blocks, [this](remote_frees& r) { forward(r); });
}

bool affinity_share::drain_remote_frees(std::size_t most_blocks) noexcept {
    const heap_gate::guard mark = heap().gate().enter(); // what is being taken is in no list
    bool any = false;
    if (unmarked_.load(std::memory_order_relaxed) != nullptr) [[unlikely]] {
        drain_unmarked();
        any = true;
    }
    queue_.take(most_blocks, [&](remote_frees& r) { any = drain(r) || any; });
    return any; // what is left another time
}

/// No bit is left for the next user of these addresses, nor where it is to go to another share.
void affinity_share::forget_remote_frees() noexcept {
    drain_remote_frees(all_blocks);
    block_list& blocks = heap().slabs().blocks().blocks();
    for (block* b = blocks.first(); b != nullptr; b = blocks.above(*b)) {
        remote_frees* const found = remote_frees::find(*b);
        if (found == nullptr || (b->state & block_state::large) != 0)
            continue;
        for (auto& word : found->freed)
            word.store(0, std::memory_order_relaxed);
    }
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
