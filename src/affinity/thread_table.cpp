// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// The table of a thread: made at its first slow call, given up at its end, when its heaps are
// abandoned; and what becomes of the tables of other threads in a forked child. Fast calls read
// of_thread and the row of their affinity, without locks: rows are written by their own thread, or
// by others only when nobody uses the affinity any more (forget). tables_lock() keeps the list of
// tables and the ends of threads apart from ends of heaps. Read take(), make() and end() in this
// order.
#include <arenite/affinity/detail/thread_table.hpp>

#include <arenite/affinity/detail/thread_heap.hpp>
#include <arenite/affinity/detail/thread_heap_list.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/core/detail/held_lock.hpp>
#include <arenite/core/detail/module_close.hpp>
#include <arenite/core/detail/thread_exit.hpp>
#include <arenite/os/detail/fork_lock.hpp>
#include <arenite/os/detail/platform.hpp>
#include <arenite/os/detail/process_lock.hpp>
#include <arenite/os/page_resource.hpp>

#include <mutex>
#include <utility>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

constinit thread_table thread_table::none{};
constinit thread_local const thread_table* thread_table::of_thread ARENITE_THREAD_FAST = &none;
#if ARENITE_IS_MALLOC
constinit thread_local slab_front* thread_table::of_only ARENITE_THREAD_FAST = &slab_front::nobody;
#endif

namespace {

struct of_tables;
fork_lock<std::mutex>& tables_lock() noexcept { return process_lock<std::mutex, of_tables>(); }

constinit thread_table* first_table = nullptr; // all tables there are; none is ever freed

#if ARENITE_HAS_MODULE_CLOSE
ARENITE_AT_MODULE_CLOSE void end_all_tables() noexcept {
    if (module_close::goes_on())
        thread_table::end_tables();
}
#endif

} // namespace

void thread_table::end_tables() noexcept {
    using os::platform;
    of_thread = &none;
    while (first_table != nullptr) {
        thread_table* const table = std::exchange(first_table, first_table->next_);
        platform::release(table, align_up(table_bytes(), platform::page_bytes()));
    }
}

/// A table of an ended thread, or a new one; nullptr where there is no memory.
thread_table* thread_table::take() noexcept {
    using os::platform;
    constexpr std::size_t bytes = table_bytes();
    const std::lock_guard lock{tables_lock()};
    thread_table* table = first_table;
    while (table != nullptr && table->thread_ != nullptr)
        table = table->next_;
    if (table == nullptr) {
        const std::size_t page = platform::page_bytes();
        void* const begin = reserve_addresses(align_up(bytes, page), page);
        if (begin == nullptr)
            return nullptr;
        if (!platform::commit(begin, align_up(bytes, page))) {
            platform::release(begin, align_up(bytes, page));
            return nullptr;
        }
        // A table is mostly untouched: a huge page would make all of it resident for a few rows.
        platform::advise_huge(begin, align_up(bytes, page), false);
        table = static_cast<thread_table*>(begin); // all zero, as it begins
        table->bytes_ = bytes;
        table->next_ = first_table;
        first_table = table;
    }
    table->thread_ = thread();
    return table;
}

/// The end is awaited without the lock: that waits while another thread loads a library, of which
/// an object may be about to allocate.
thread_table* thread_table::make() noexcept {
    if (thread_table* const there = mine())
        return there;
    if (thread_exit::has_come())
        return nullptr;
    thread_table* const table = take();
    if (table == nullptr)
        return nullptr;
    of_thread = table;
    thread_exit::await(&end);
    return table;
}

/// Leaves the heaps of this thread to others.
void thread_table::abandon_heaps(unsigned first, unsigned last) noexcept {
    for_each(first, last, [&](unsigned index) {
        stop(index);
        thread_heap* next = std::exchange(at(index).heaps, nullptr);
        while (next != nullptr) {
            thread_heap& heap = *next;
            next = heap.next_of_thread;
            heap.next_of_thread = nullptr;
            // Frees by others are taken first: a heap that holds nothing then may be retired.
            if (!heap.is_locked())
                heap.remote().drain(remote_queue::all_blocks);
            heap.home().abandon(heap);
        }
    });
}

/// Objects of the thread that end later may still allocate and free: then each call takes a heap
/// for itself. Heaps may be about to end, which waits for this thread, or has been here.
void thread_table::end() noexcept {
    thread_table* const table = mine();
    if (table == nullptr)
        return;
    // Order of locks: this one, then those of a list of heaps and of single heaps.
    const held_lock lock = hold_ends();
    table->abandon_heaps(0, most);
    of_thread = &none;
    table->thread_ = nullptr;
}

held_lock thread_table::hold_ends() noexcept { return held_lock{tables_lock()}; }

void thread_table::forget(unsigned index) noexcept {
    const std::lock_guard lock{tables_lock()};
    for (thread_table* t = first_table; t != nullptr; t = t->next_) {
        place& p = t->at(index);
        if (p.heaps != nullptr || p.current != nullptr) // else its page stays untouched
            p = {};
    }
}

/// Only the forking thread exists here: no lock is needed.
void thread_table::after_fork_in_child() noexcept {
    for (thread_table* t = first_table; t != nullptr; t = t->next_) {
        if (t->thread_ == nullptr || t->thread_ == thread())
            continue;
        t->for_each(0, most, [&](unsigned index) { t->at(index) = {}; });
        t->thread_ = nullptr;
    }
}

/// Inlined calls know only the alignment that was asked for: a half is ready if every alignment
/// that it serves is at least the affinity's own, or slots have that anyway.
void thread_table::start(unsigned affinity, slab_heap& heap, std::size_t least_alignment) noexcept {
    touch(affinity);
    place& p = at(affinity);
    p.current = &heap;
    p.ready[0] = least_alignment <= size_class::least_alignment ? &heap : nullptr;
    p.ready[1] = least_alignment <= default_alignment ? &heap : nullptr;
    ready_changed(affinity);
}

void thread_table::stop(unsigned affinity) noexcept {
    place& p = at(affinity);
    p.ready[0] = p.ready[1] = p.current = nullptr;
    ready_changed(affinity);
}

/// `current` stays: slow calls allocate from it as before.
void thread_table::pause(unsigned affinity) noexcept {
    place& p = at(affinity);
    p.ready[0] = p.ready[1] = nullptr;
    ready_changed(affinity);
}

void thread_table::stop_all() noexcept {
    const std::lock_guard lock{tables_lock()}; // others may forget some of them meanwhile
    for_each(0, most_affinities, [&](unsigned index) { stop(index); });
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
