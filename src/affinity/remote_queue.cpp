// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Objects of one thread's heap that others free: they mark them (free), its thread drains them, and
// their memory may go back to the system meanwhile (purge); at the end the forked child.
#include <arenite/affinity/detail/remote_queue.hpp>

#include <arenite/core/alignment.hpp>
#include <arenite/core/contract.hpp>
#include <arenite/ordered/detail/slab_heap.hpp>
#include <arenite/ordered/detail/slab_survey.hpp>
#include <arenite/os/detail/platform.hpp>

#include <algorithm>
#include <cstring>

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

namespace {
constexpr const char* freed_by_another = "another thread freed it already";
}

/// Most objects are a slot of a page of a block in which something was freed before.
void remote_queue::free(void* p, std::size_t bytes, std::size_t alignment,
                        slab_heap* own) noexcept {
    const slab* const page = heap_->page_of_slot(p);
    if (page == nullptr || (bytes != unknown_bytes && !page->is_slot_for(bytes))) [[unlikely]]
        return free_elsewhere(p, bytes, alignment, own);
    remote_frees* const r = remote_frees::find(remote_frees::head_of(p));
    if (r == nullptr) [[unlikely]]
        return free_elsewhere(p, bytes, alignment, own);
    if (!free_slot(*page, page->index_in_page(p), page->slot_bytes, *r, own)) [[unlikely]]
        owner_->refuse_free(p, bytes, freed_by_another);
}

/// With every check, and from units and joined slots as well.
void remote_queue::free_elsewhere(void* p, std::size_t bytes, std::size_t alignment,
                                  slab_heap* own) noexcept {
    const slab* const s = heap_->slabs().find_slab(p);
    if (s == nullptr) [[unlikely]]
        return owner_->refuse_free(p, bytes, "no allocation begins there, or it is free already");
    const slab_source& slabs = heap_->slabs();
    const std::size_t index = slabs.index_of(*s, p);
    // A place in the head of a page has no bit; and what one thread frees of another is not quick.
    if (index >= s->slots || p != slabs.begin_of(*s) + index * s->slot_bytes) [[unlikely]]
        return owner_->refuse_free(p, bytes, "it points into an allocation, not to its begin");
    const std::size_t slots = slab_survey::slots_at(slabs, *s, index);
    const std::size_t room = slots * s->slot_bytes;
    if (bytes != unknown_bytes && !slab_survey::may_have(*s, slots, bytes, alignment))
        return owner_->refuse_size(p, bytes, room, unknown_bytes);
    // The owner may be writing bits of neighbours. That of this slot was cleared before p was
    // handed out, so a 1 there means that it is free.
    const bits::word slot = bits::word{1} << index % bits::word_bits;
    if ((glance(s->bitmap()[index / bits::word_bits]) & slot) != 0) [[unlikely]] // it would be 0
        return owner_->refuse_free(p, bytes, "it is free already, or was never handed out");
    remote_frees* const r = remote_frees::of(remote_frees::head_of(p));
    if (r == nullptr) [[unlikely]]
        return push_unmarked(p, room);
    if (!free_slot(*s, index, room, *r, own)) [[unlikely]]
        owner_->refuse_free(p, bytes, freed_by_another);
}

/// Frees the object of `room` bytes that begins at a slot; false if another thread has done so.
ARENITE_INLINE bool remote_queue::free_slot(const slab& s, std::size_t index, std::size_t room,
                                            remote_frees& marks, slab_heap* own) noexcept {
    const std::size_t word = s.first_word() + index / bits::word_bits;
    const bits::word slot = bits::word{1} << index % bits::word_bits;
    // Before the bit is set: the owner's books follow the bit.
    if (own != nullptr)
        own->classes().count_foreign_free(room);
    else
        count(1, room);
    // Before the bit, too: whoever finds that asks here whose it is. Stored only where it was
    // another: the others who free read this line.
    if (marks.heap.load(std::memory_order_relaxed) != this)
        marks.heap.store(this, std::memory_order_relaxed);
    if (!marks.mark(word, slot)) [[unlikely]]
        return false;
    // The block may be gone from here on.
    if (!marks.queued.load(std::memory_order_seq_cst) &&
        !marks.queued.exchange(true, std::memory_order_seq_cst))
        blocks_.push(marks);
    return true;
}

// Without memory for bits objects hang on each other by their first word; the second is their size.

/// Release, for the acquire of drain_unmarked(): the owner reads both words.
void remote_queue::push_unmarked(void* p, std::size_t room) noexcept {
    count(1, room);
    std::memcpy(static_cast<std::byte*>(p) + sizeof(void*), &room, sizeof room);
    void* head = unmarked_.load(std::memory_order_relaxed);
    do
        std::memcpy(p, &head, sizeof head);
    while (!unmarked_.compare_exchange_weak(head, p, std::memory_order_release,
                                            std::memory_order_relaxed));
}

/// One at a time, and the others stay in the list: who handles misuse may never come back.
void remote_queue::drain_unmarked() noexcept {
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
        count(0 - std::size_t{1}, 0 - words[1]);
        heap_->deallocate(p);
    }
}

/// The block is another heap's by now: what was freed there since is that one's.
void remote_queue::forward(remote_frees& r) noexcept {
    const bool any = r.has_any();
    // After the bits: who set one named its heap before.
    remote_queue* const other = r.heap.load(std::memory_order_relaxed);
    if (other == this && any) {      // a block of which nothing lives has nothing left to free
        for (auto& word : r.freed) { // nor a bit for the next owner of these addresses
            const auto bits = word.exchange(0, std::memory_order_seq_cst);
            if (r.heap.load(std::memory_order_relaxed) != this) [[unlikely]] // it has come
                word.fetch_or(bits, std::memory_order_seq_cst);
        }
        if (heap_ != nullptr)
            heap_->gate().leave();
        contract_violation_f(std::source_location::current(),
                             "an object in the block at %p was freed into %s by two "
                             "threads",
                             static_cast<const void*>(r.where), owner_->affinity);
    }
    if (other == this || other == nullptr)
        return;
    if (any && !r.queued.exchange(true, std::memory_order_seq_cst))
        other->blocks_.push(r);
}

/// Frees what is marked in one block; returns the words in which anything was.
std::size_t remote_queue::drain_block(remote_frees& r) noexcept {
    slab_source& slabs = heap_->slabs();
    // The record outlives its block: another heap may have one at that place by now.
    block* const b = slabs.blocks().find(r.where);
    if (b != r.where || (b->state & block_state::open) == 0) {
        forward(r);
        return 0;
    }
    std::size_t words = 0;
    for (std::size_t i = 0; i < remote_frees::words; ++i) {
        // Most words are 0, and a load is cheaper than an exchange.
        if (r.freed[i].load(std::memory_order_seq_cst) == 0)
            continue;
        ++words;
        bits::word freed = r.freed[i].exchange(0, std::memory_order_seq_cst);
        if (const bits::word twice = freed & slabs.free_slots(*b, i); twice != 0) [[unlikely]] {
            // Whoever handles it may never come back: what else was freed is not lost.
            if (freed != twice)
                r.freed[i].fetch_or(freed & ~twice, std::memory_order_seq_cst);
            if (r.has_any() && !r.queued.exchange(true, std::memory_order_seq_cst))
                blocks_.push(r);
            freed = twice;
        }
        // The block went with its last object: any other bit of it is of one that its thread freed
        // too.
        if (!heap_->release_word(*b, i, freed)) {
            forward(r);
            break;
        }
    }
    return words;
}

std::size_t remote_queue::drain(std::size_t most_blocks, std::size_t most_words) noexcept {
    const heap_gate::guard mark = heap_->gate().enter(); // what is being taken is in no list
    std::size_t words = 0;
    if (unmarked_.load(std::memory_order_relaxed) != nullptr) [[unlikely]] {
        drain_unmarked();
        words = 1;
    }
    blocks_.take(most_blocks, [&](remote_frees& r) {
        words += drain_block(r);
        return words < most_words;
    });
    return words; // what is left another time
}

/// Calls f for what others have ever freed in its open blocks. f may release blocks.
template <class F>
void remote_queue::for_each_block(F f) noexcept {
    const block_list& all = heap_->slabs().blocks().blocks();
    const std::byte* from = nullptr;
    while (block* const b = all.lowest(block_state::open, from)) {
        from = reinterpret_cast<const std::byte*>(b) + 1;
        if (remote_frees* const r = remote_frees::find(*b))
            f(*b, *r);
    }
}

/// In the order of addresses, each looked up anew: with one block that drains others may go.
void remote_queue::drain_all() noexcept {
    drain(all_blocks);
    const heap_gate::guard mark = heap_->gate().enter();
    for_each_block([&](block&, remote_frees& r) {
        if (r.has_any())
            drain_block(r);
    });
}

/// No bit is left for the next user of these addresses, nor where it is to go to another heap.
void remote_queue::drain_and_forget() noexcept {
    drain(all_blocks);
    block_list& blocks = heap_->slabs().blocks().blocks();
    for (block* b = blocks.first(); b != nullptr; b = blocks.above(*b)) {
        remote_frees* const found = remote_frees::find(*b);
        if (found == nullptr || (b->state & block_state::large) != 0)
            continue;
        for (auto& word : found->freed)
            word.store(0, std::memory_order_relaxed);
    }
}

void remote_queue::forward_all() noexcept {
    blocks_.take(all_blocks, [this](remote_frees& r) {
        forward(r);
        return true;
    });
}

// ---- the heap that it serves --------------------------------------------------------------------

arenite::usage remote_queue::deducted(arenite::usage of_heap) const noexcept {
    of_heap.bytes_in_use -= uncounted_bytes_.load(std::memory_order_relaxed);
    of_heap.live_allocations -= uncounted_objects_.load(std::memory_order_relaxed);
    return of_heap;
}

void remote_queue::forget_counts() noexcept {
    uncounted_objects_.store(0, std::memory_order_relaxed);
    uncounted_bytes_.store(0, std::memory_order_relaxed);
}

// ---- giving back from afar ----------------------------------------------------------------------
//
// The thread may be at work meanwhile: its lock keeps its slabs and blocks as they are, and it
// drains nothing, so memory that others have freed belongs to no thread. The bits stay for a second
// free to find.

namespace {

std::size_t purge_slots(const slab_source& slabs, const slab& s, const remote_frees& r) noexcept {
    bits::word freed[remote_frees::words];
    // The owner takes no bits meanwhile, as that needs the lock: so it can't hand out what is
    // purged here.
    const std::atomic<bits::word>* const marks = r.freed + s.first_word();
    for (std::size_t i = 0; i < s.words(); ++i)
        freed[i] = marks[i].load(std::memory_order_acquire);
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

} // namespace

std::size_t remote_queue::purge() noexcept {
    const slab_source& slabs = heap_->slabs();
    std::size_t purged = 0;
    for_each_block([&](block& b, const remote_frees& r) {
        slabs.for_each_slab(b, [&](const slab& s) {
            const auto* const first = r.freed + s.first_word();
            if (s.slots * std::size_t{glance(s.slot_bytes)} >= os::platform::page_bytes() &&
                std::any_of(first, first + s.words(), [](const auto& w) { return w.load() != 0; }))
                purged += purge_slots(slabs, s, r);
        });
    });
    return purged;
}

// ---- in a forked child --------------------------------------------------------------------------
//
// A thread that frees an object of another thread sets its bit, then `queued`, and then enters the
// block in the list of its heap. A fork may come before the last step, and that thread is not in
// the child. A heap that was changing at the fork is not used.

void remote_queue::forget_queued_blocks() noexcept {
    const auto forget = [](remote_frees& r) {
        if (r.queued.load(std::memory_order_relaxed)) // else its page stays the parent's too
            r.queued.store(false, std::memory_order_relaxed);
    };
    blocks_.clear(forget);
    if (heap_ != nullptr && !heap_->gate().entered())
        for_each_block([&](block&, remote_frees& r) { forget(r); });
}

void remote_queue::queue_marked_blocks() noexcept {
    if (heap_ == nullptr || heap_->gate().entered())
        return;
    for_each_block([&](block&, remote_frees& r) {
        if (r.has_any() && !r.queued.exchange(true, std::memory_order_relaxed))
            blocks_.push(r);
    });
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
