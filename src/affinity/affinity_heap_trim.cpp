// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Memory that an affinity_heap gives back: trim and reset. Each heap of the affinity is in one of
// four states, and trim_heaps() has a way for each: a locked heap is trimmed under its lock, the
// calling thread's own and an abandoned one (adopted for the moment) at once, and another thread's
// from afar, which purges pages and asks that thread to trim later. give_back_due() is the same
// thought for programs that call it regularly: a little at a time, and only what has been idle.
#include <arenite/affinity/affinity_heap.hpp>

#include <arenite/affinity/detail/affinity_registry.hpp>
#include <arenite/affinity/detail/locked_heap.hpp>
#include <arenite/affinity/detail/thread_heap.hpp>
#include <arenite/core/detail/held_lock.hpp>
#include <arenite/os/detail/platform.hpp>
#include <arenite/os/page_resource.hpp>

#include "thread_heap_places.hpp"

#include <algorithm>
#include <atomic>

namespace arenite {
inline namespace ARENITE_ABI {

using detail::thread_heap;
using detail::thread_table;

affinity_heap::trim_result affinity_heap::trim_heaps() noexcept {
    trim_result done;
    heaps_.for_each([&](thread_heap& each) {
        const auto trim = [&](auto& heap) {
            const std::size_t before = heap.usage().bytes_reserved;
            heap.trim();
            done.bytes_returned += before - std::min(before, heap.usage().bytes_reserved);
            ++done.heaps_trimmed;
        };
        if (each.is_locked()) {
            detail::locked_heap locked{each};
            trim(locked);
        } else if (each.is_mine(thread_table::thread())) {
            trim(each);
        } else if (each.is_abandoned() && each.adopt(thread_table::thread())) {
            trim(each);
            each.abandon();
        } else {
            const std::size_t before = each.usage_approximate().bytes_reserved;
            done.bytes_purged += each.trim_from_afar();
            done.bytes_returned +=
                before - std::min(before, each.usage_approximate().bytes_reserved);
            ++done.heaps_asked;
        }
    });
    // A heap that trim left empty and that no thread has would only be walked over from now on.
    heaps_.retire_empty();
    return done;
}

/// Memory that all affinities and other heaps have in common.
static void trim_what_is_shared() noexcept {
    detail::thread_heap_places::trim();
    page_source().trim();
}

affinity_heap::trim_result affinity_heap::trim() noexcept {
    const trim_result done = trim_heaps();
    trim_what_is_shared();
    return done;
}

affinity_heap::trim_result affinity_heap::trim_all() noexcept {
    trim_result done;
    for (affinity_heap& h : all())
        done += h.trim_heaps();
    trim_what_is_shared();
    return done;
}

bool affinity_heap::give_back_due() noexcept {
    page_source().give_back_due();
    const std::uint64_t now = detail::os::platform::now_ms();
    const detail::affinity_list heaps;
    static constinit std::atomic<unsigned> last{0};
    const unsigned before = last.load(std::memory_order_relaxed);
    const auto gives = [&](affinity_heap& h) {
        if (!h.give_back_idle(now, detail::who_asks::program))
            return false;
        last.store(h.index_, std::memory_order_relaxed);
        return true;
    };
    // One affinity gives back at a call, each in its turn: the next ones, then the first ones.
    for (affinity_heap& h : heaps)
        if (h.index_ > before && gives(h))
            return true;
    for (affinity_heap& h : heaps) {
        if (h.index_ > before)
            break;
        if (gives(h))
            return true;
    }
    return false;
}

/// One step of one heap, or one span of large objects: true if there was any.
bool affinity_heap::give_back_idle(std::uint64_t now_ms, detail::who_asks who) noexcept {
    if (thread_table* const mine = thread_table::mine())
        for (thread_heap* own = mine->heaps(index_); own != nullptr; own = own->next_of_thread)
            if (own->give_back_idle(now_ms, who))
                return true;
    // One thread at a time sees to what no thread has. The time of the next look is the lock:
    // whoever moves it forward looks, and a thread that loses the exchange leaves it to the winner.
    std::uint64_t due = next_look_ms_.load(std::memory_order_relaxed);
    if (now_ms < due || !next_look_ms_.compare_exchange_strong(
                            due, now_ms + detail::idle_pages::look_ms, std::memory_order_relaxed))
        return false;
    bool gave = false;
    if (heaps_.has_orphans())
        heaps_.for_each([&](thread_heap& each) {
            if (gave || each.kind() != detail::thread_heap_kind::ordered || !each.is_abandoned() ||
                !each.adopt(thread_table::thread()))
                return;
            gave = each.give_back_idle(now_ms, who);
            each.abandon();
        });
    thread_heap* const large = large_.load(std::memory_order_acquire);
    gave = gave || (large != nullptr && large->give_back_idle_large());
    if (gave) // whoever calls next goes on
        next_look_ms_.store(now_ms, std::memory_order_relaxed);
    return gave;
}

/// A thread that used it may be about to end, and see to its heap then.
void affinity_heap::reset() noexcept {
    const detail::held_lock lock = thread_table::hold_ends();
    heaps_.for_each([&](thread_heap& each) { each.reset(); });
    // The objects that retired heaps left behind in the sums are gone with everything else.
    heaps_.forget_balance();
}

} // namespace ARENITE_ABI
} // namespace arenite
