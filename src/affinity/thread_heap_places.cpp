// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Memory for thread heaps, which is never freed: the lists of those that wait to be used again, and
// the pages in which their resources lay, which may go back to the system meanwhile. Thread heaps
// are never freed because a thread that freed a remote object may still be about to push its block
// into the queue of a heap that has ended: the queue must still be there. Read take() and give(),
// which are all that others see.
#include "thread_heap_places.hpp"

#include <arenite/affinity/detail/thread_heap.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/os/detail/fork_lock.hpp>
#include <arenite/os/detail/process_lock.hpp>
#include <arenite/os/page_resource.hpp>

#include "heap_pages.hpp"
#include "immortal_pages.hpp"

#include <cstddef>
#include <mutex>
#include <new>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

namespace {

struct of_places;
fork_lock<std::mutex>& places_lock() noexcept { return process_lock<std::mutex, of_places>(); }

// Retired ones, by next_of_affinity: those whose resource's pages are resident, and the others.
constinit thread_heap* retired_places = nullptr;
constinit thread_heap* retired_trimmed = nullptr;
constinit std::size_t retired_count = 0; ///< of those that are resident

/// More are not worth their memory: 11 KiB each, for a few page faults when they serve again.
constexpr std::size_t most_resident = 256;
/// Two kinds of places, since the thread heap itself must stay readable for good, and the pages of
/// its resource need not.
constinit immortal_pages<thread_heap, 64_KiB> thread_heap_pages;
constinit immortal_pages<heap_pages, 256_KiB> all_heap_pages;

/// Under the lock; nullptr where there is none.
thread_heap* take_from(thread_heap*& list) noexcept {
    thread_heap* const heap = list;
    if (heap != nullptr)
        list = heap->next_of_affinity;
    return heap;
}
void put_on(thread_heap*& list, thread_heap& heap) noexcept {
    heap.next_of_affinity = list;
    list = &heap;
}
thread_heap* take_retired() noexcept {
    thread_heap* const heap = take_from(retired_places);
    retired_count -= heap != nullptr ? 1 : 0;
    return heap;
}

} // namespace

void thread_heap_places::purge(thread_heap& heap) noexcept {
    page_source().purge(&heap_pages::around(heap.storage_), sizeof(heap_pages));
}

/// A retired one whose pages are resident is first. New ones take both places or, where memory for
/// one is missing, neither.
thread_heap* thread_heap_places::take() noexcept {
    const std::lock_guard lock{places_lock()};
    if (thread_heap* const heap = take_retired())
        return heap;
    if (thread_heap* const heap = take_from(retired_trimmed))
        return heap;
    void* const place = thread_heap_pages.next();
    void* const resource_place = all_heap_pages.next();
    if (place == nullptr || resource_place == nullptr)
        return nullptr;
    thread_heap_pages.take();
    all_heap_pages.take();
    return ::new (place) thread_heap{(::new (resource_place) heap_pages)->begin()};
}

void thread_heap_places::give(thread_heap& heap) noexcept {
    {
        const std::lock_guard lock{places_lock()};
        if (retired_count < most_resident) {
            ++retired_count;
            return put_on(retired_places, heap);
        }
    }
    // Not under the lock: the system takes its time, and until it is on a list no other thread can
    // have the heap.
    purge(heap);
    const std::lock_guard lock{places_lock()};
    put_on(retired_trimmed, heap);
}

/// Without the lock while the system is called.
void thread_heap_places::trim() noexcept {
    for (thread_heap* heap = nullptr;;) {
        {
            const std::lock_guard lock{places_lock()};
            if (heap != nullptr)
                put_on(retired_trimmed, *heap);
            heap = take_retired();
        }
        if (heap == nullptr)
            return;
        purge(*heap);
    }
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
