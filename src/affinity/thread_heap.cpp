// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// The heap of a thread in an affinity: its begin and end; the calls of its thread; calls that lock
// it where it is a locked one; and those that any thread may make while its own is at work. Frees
// by other threads are remote_queue, the calls of a locked one locked_heap.
#include <arenite/affinity/detail/thread_heap.hpp>

#include <arenite/affinity/detail/locked_heap.hpp>
#include <arenite/ordered/detail/slab_survey.hpp>

#include "thread_heap_places.hpp"
#include "thread_heap_room.hpp"

#include <mutex>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

// ---- begin and end ------------------------------------------------------------------------------

thread_heap* thread_heap::make(thread_heap_list& home, const heap_owner& owner, unsigned affinity,
                               const affinity_options& options, thread_heap_kind kind) noexcept {
    thread_heap* const made = thread_heap_places::take();
    if (made == nullptr)
        return nullptr;
    thread_heap& h = *made;
    h.home_ = &home;
    h.options_ = options;
    h.pages_.belong_to(h, affinity);
    h.user_ = owner.heap;
    h.affinity_ = affinity;
    h.kind_ = kind;
    // The other strategies know nothing of remote frees, and in checked builds every call is slow
    // anyway: those heaps are used under the lock by everybody.
    h.locked_ = slow_only || kind != thread_heap_kind::ordered;
    h.asked_.store(false, std::memory_order_relaxed);
    h.idle_ = {};
    h.drains_ = 0;
    h.owner_ = owner;
    h.owner_.holder = made;
    // A heap whose every call holds the lock must not take it once more from within.
    h.owner_.gate = h.locked_ ? nullptr : &h.lock_;
    if (h.locked_)
        h.owner_.on_foreign_free = nullptr; // found before
    h.construct_resource();
    h.remote_.serve(h.owner_, h.locked_ ? nullptr : &h.heap());
    return made;
}

void thread_heap::construct_resource() noexcept {
    room().construct(options_, upstream{&pages_}, owner_);
}

/// Who freed the last object may still be about to tell this heap of the block: what is pushed is
/// handed on by whoever has the heap next.
void thread_heap::retire(thread_heap& heap) noexcept {
    heap.room().destroy();
    heap.remote_.forget_counts();
    heap.abandon();
    thread_heap_places::give(heap);
}

void thread_heap::abandon_after_fork(const void* me) noexcept {
    if (is_mine(me))
        return;
    // Kept runs are changed without the gate, so the fork may have come in the middle of a change:
    // they are counted anew where a thread had the heap.
    const bool had_thread = !is_abandoned();
    abandon();
    if (!thread_heap_room::is_slab_heap(kind_))
        return;
    slab_source& slabs = heap().slabs();
    slabs.blocks().may_grow(true);
    if (had_thread && !locked_ && !heap().gate().entered()) // it may have been in a call
        slabs.kept().recount(slabs);
}

// ---- of an unlocked one, by its thread ----------------------------------------------------------

void thread_heap::deallocate(void* p, std::size_t bytes, std::size_t alignment) noexcept {
    if (bytes == unknown_bytes)
        return heap().deallocate(p);
    heap().deallocate(p, bytes, alignment);
}

bool thread_heap::deallocate_and_look(void* p, std::size_t bytes, std::size_t alignment) noexcept {
    // Looked up before the free: afterwards the slab may be gone, and p with it.
    const slab* const s = heap().slabs().find_slab(p);
    const unsigned slot_class = s == nullptr ? size_class::none : s->slot_class();
    deallocate(p, bytes, alignment); // p may be no object, and the slab gone
    return slot_class != size_class::none && heap().classes()[slot_class].live() == 0;
}

void thread_heap::trim() noexcept {
    // Before the work: a request that comes meanwhile asks for another trim, and none is lost.
    asked_.store(false, std::memory_order_relaxed);
    remote_.drain_all();
    heap().trim();
}

void thread_heap::catch_up(std::size_t block_bytes) noexcept {
    if (block_bytes != options_.block_bytes) {
        options_.block_bytes = block_bytes;
        heap().slabs().blocks().set_block_bytes(thread_heap_room::span_bytes(block_bytes));
    }
    if (asked_.load(std::memory_order_relaxed))
        trim();
}

bool thread_heap::give_back_idle(std::uint64_t now_ms, who_asks who) noexcept {
    if (locked_ || !idle_.is_due(now_ms))
        return false;
    // Frees by others are seen first, so many at a call: until then those objects seem in use. They
    // may come faster than that, so no more calls follow than it takes to see to each block once:
    // the words of a call are those of so many blocks at least.
    constexpr std::size_t most_blocks = 8;
    constexpr std::size_t most_words = 512;
    constexpr std::size_t least_blocks = most_words / remote_frees::words;
    if (drains_ <= heap().slabs().open_blocks() / least_blocks && !remote_.is_empty() &&
        remote_.drain(most_blocks, most_words) != 0 && !remote_.is_empty()) {
        ++drains_;
        return true;
    }
    drains_ = 0;
    return idle_.look(heap(), now_ms, who);
}

void thread_heap::list_regions(region_sink& sink) {
    const heap_gate::guard mark = heap().gate().enter();
    slab_survey::list_regions(heap().slabs(), sink, slow_only || options_.sizes == sizes::kept);
}

// ---- of the one for large objects ---------------------------------------------------------------

bool thread_heap::give_back_idle_large() noexcept {
    const std::unique_lock lock{lock_, std::try_to_lock};
    if (!lock)
        return false;
    const heap_gate::guard mark = heap().gate().enter();
    return heap().slabs().blocks().give_back_idle();
}

// ---- of any -------------------------------------------------------------------------------------

bool thread_heap::is_zero(const void* p) noexcept {
    if (!thread_heap_room::is_slab_heap(kind_))
        return false;
    if (!locked_) // of a thread at its end it was for one call
        return is_mine(thread_table::thread()) && heap().is_zero(p);
    const std::lock_guard lock{lock_};
    return heap().is_zero(p);
}

void thread_heap::reset() noexcept {
    if (!locked_)
        remote_.drain_and_forget();
    // The caller vouches that no thread uses the affinity; the lock is for those who list or report
    // it.
    const std::lock_guard lock{lock_};
    remote_.forget_counts();
    room().destroy();
    construct_resource();
}

bool thread_heap::holds_nothing() noexcept {
    return (locked_ ? locked_heap{*this}.usage() : heap().usage_approximate()).bytes_reserved == 0;
}

bool thread_heap::trim_if_empty() noexcept {
    if (locked_) {
        locked_heap locked{*this};
        if (locked.usage().bytes_in_use != 0)
            return false;
        locked.trim();
        return locked.usage().bytes_reserved == 0;
    }
    if (!heap().nothing_lives())
        return false;
    heap().trim();
    return heap().usage_approximate().bytes_reserved == 0;
}

std::size_t thread_heap::high_water_noted() noexcept {
    return thread_heap_room::is_slab_heap(kind_) ? heap().classes().high_water_approximate()
                                                 : locked_heap{*this}.usage().high_water_bytes;
}

// ---- of an unlocked one, by any thread ----------------------------------------------------------

/// The slab stays as it is while the object lives.
std::size_t thread_heap::size_of(const void* p) const noexcept {
    const std::size_t room = slab_survey::room_at(heap().slabs(), p);
    if (room == 0) [[unlikely]]
        owner_.refuse_question(p);
    return room;
}

std::size_t thread_heap::trim_from_afar() noexcept {
    std::size_t purged = 0;
    {
        const std::lock_guard lock{lock_};
        heap().slabs().blocks().trim();
        purged = remote_.purge();
    }
    asked_.store(true, std::memory_order_relaxed);
    return purged;
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
