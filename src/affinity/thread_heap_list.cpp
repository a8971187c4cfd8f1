// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// The list of an affinity's heaps: those of its threads, abandoned ones, and the one for large
// objects. Walks follow the links without the lock, while a pin counts them: so nothing is unlinked
// while a walker is there, and new heaps come in at the front only. A heap belongs to the thread
// whose mark its own word holds, not to a lock; adopt() is a compare-exchange on that word. Read
// add(), adopt() and abandon() first, which are the life of a heap, then try_retire() and
// retire_empty(), which end it.
#include <arenite/affinity/detail/thread_heap_list.hpp>

#include <arenite/affinity/detail/thread_heap.hpp>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// Counted under the lock under which heaps are retired: while there is a walker none is taken out
/// of the list, so a walk follows the links without the lock.
thread_heap_list::pin::pin(const thread_heap_list& heaps) noexcept : heaps_{heaps} {
    const std::lock_guard lock{heaps_.lock_};
    entered_ = heaps_.walkers_.enter();
}
thread_heap_list::pin::~pin() {
    const std::lock_guard lock{heaps_.lock_};
    heaps_.walkers_.leave(entered_);
}
thread_heap* thread_heap_list::next(const thread_heap& heap) noexcept {
    return heap.next_of_affinity;
}

/// Readers follow the list without the lock: the new heap is linked before first_ leads to it.
void thread_heap_list::add(thread_heap& heap) noexcept {
    const std::lock_guard lock{lock_};
    heap.next_of_affinity = first_.load(std::memory_order_relaxed);
    first_.store(&heap, std::memory_order_release);
}

/// The lock keeps heaps from being retired. Who gets one is decided by the heap's own word, since
/// another thread may be taking it for a call.
thread_heap* thread_heap_list::adopt(thread_heap_kind kind, const void* me, orphans of) noexcept {
    if (!has_orphans())
        return nullptr;
    const std::lock_guard lock{lock_};
    for (thread_heap* heap = first_.load(std::memory_order_relaxed); heap != nullptr;
         heap = heap->next_of_affinity) {
        if (heap->kind() != kind || !heap->is_abandoned() || !heap->adopt(me))
            continue;
        if (of == orphans::empty && !heap->holds_nothing()) {
            heap->abandon();
            continue;
        }
        orphans_.fetch_sub(1, std::memory_order_relaxed);
        return heap;
    }
    return nullptr;
}

/// Counted before the heap can be found, as whoever adopts it counts it off.
void thread_heap_list::abandon(thread_heap& heap) noexcept {
    orphans_.fetch_add(1, std::memory_order_relaxed);
    end_borrowing(heap, true);
}

void thread_heap_list::end_borrowing(thread_heap& heap, bool is_empty) noexcept {
    // Two abandoned ones may be empty and wait, with warm memory; further ones go.
    if (is_empty && orphans_.load(std::memory_order_relaxed) > most_empty && heap.trim_if_empty() &&
        try_retire(heap))
        return;
    heap.abandon();
}

/// Takes a heap that holds nothing, and is the calling thread's or borrowed by it, to where the
/// next one comes from.
bool thread_heap_list::try_retire(thread_heap& heap) noexcept {
    {
        const std::lock_guard lock{lock_};
        // A walker may stand on it, or is about to follow its link: another time, then.
        if (!walkers_.none())
            return false;
        take_out(heap);
    }
    thread_heap::retire(heap);
    return true;
}

/// Under the lock, without walkers. Its books outlive it here: the sum of high waters that it was
/// part of, and what its thread freed of other heaps.
void thread_heap_list::take_out(thread_heap& heap) noexcept {
    std::size_t high_water = 0;
    thread_heap* before = nullptr;
    for (thread_heap* each = first_.load(std::memory_order_relaxed); each != nullptr;
         each = each->next_of_affinity) {
        high_water += each->high_water_noted();
        if (each->next_of_affinity == &heap)
            before = each;
    }
    note_high_water(high_water);
    if (before == nullptr)
        first_.store(heap.next_of_affinity, std::memory_order_relaxed);
    else
        before->next_of_affinity = heap.next_of_affinity;
    orphans_.fetch_sub(1, std::memory_order_relaxed);
    if (heap.is_locked())
        return;
    // Objects of other heaps that its thread freed were counted off here, so what is left may be
    // negative: unsigned arithmetic carries it.
    const arenite::usage left = heap.usage_approximate();
    bytes_.fetch_add(left.bytes_in_use, std::memory_order_relaxed);
    objects_.fetch_add(left.live_allocations, std::memory_order_relaxed);
}

void thread_heap_list::retire_empty() noexcept {
    thread_heap* retired = nullptr;
    {
        const std::lock_guard lock{lock_};
        thread_heap* next = walkers_.none() ? first_.load(std::memory_order_relaxed) : nullptr;
        while (next != nullptr) {
            thread_heap& heap = *next;
            next = heap.next_of_affinity;
            // Taken by a mark that no thread has, so that none adopts it meanwhile.
            if (heap.kind() == thread_heap_kind::large || !heap.is_abandoned() ||
                !heap.adopt(&heap))
                continue;
            if (!heap.holds_nothing()) {
                heap.abandon();
                continue;
            }
            take_out(heap);
            heap.next_of_thread = retired;
            retired = &heap;
        }
    }
    // Without the lock, since memory goes back here.
    while (retired != nullptr) {
        thread_heap& heap = *retired;
        retired = heap.next_of_thread;
        heap.next_of_thread = nullptr;
        thread_heap::retire(heap);
    }
}

void thread_heap_list::end() noexcept {
    thread_heap* next = first_.exchange(nullptr, std::memory_order_acquire);
    while (next != nullptr) {
        thread_heap& heap = *next;
        next = heap.next_of_affinity;
        heap.next_of_thread = nullptr;
        heap.reset();
        thread_heap::retire(heap);
    }
    orphans_.store(0, std::memory_order_relaxed);
}

/// One thread is left, and no walker: the threads that are gone may have been anywhere, so heaps
/// without one are counted anew.
void thread_heap_list::after_fork_in_child(const void* me) noexcept {
    walkers_.after_fork_in_child();
    int without_thread = 0;
    for (thread_heap* heap = first_.load(std::memory_order_relaxed); heap != nullptr;
         heap = heap->next_of_affinity) {
        heap->abandon_after_fork(me);
        heap->remote().forget_queued_blocks();
        if (heap->is_abandoned() && heap->kind() != thread_heap_kind::large)
            ++without_thread;
    }
    orphans_.store(without_thread, std::memory_order_relaxed);
}

void thread_heap_list::queue_marked_blocks() noexcept {
    for (thread_heap* heap = first_.load(std::memory_order_relaxed); heap != nullptr;
         heap = heap->next_of_affinity)
        heap->remote().queue_marked_blocks();
}

std::size_t thread_heap_list::count() const noexcept {
    std::size_t n = 0;
    for_each([&](const thread_heap&) { ++n; });
    return n;
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
