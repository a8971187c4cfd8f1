// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/affinity/detail/thread_heaps.hpp>

#include <arenite/affinity/detail/affinity_share.hpp>
#include <arenite/affinity/detail/affinity_shares.hpp>
#include <arenite/core/detail/thread_exit.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/os/detail/fork_lock.hpp>

#include "immortal_pages.hpp"

#include <mutex>
#include <new>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

constinit const thread_heaps thread_heaps::none;
constinit thread_local const thread_heaps* thread_heaps::of_thread ARENITE_THREAD_FAST = &none;

namespace {

struct of_tables;
fork_lock<std::mutex>& tables_lock() noexcept { return process_lock<std::mutex, of_tables>(); }

constinit thread_heaps* first_table = nullptr; // all tables there are; none is ever freed
constinit immortal_pages<thread_heaps, 64_KiB> table_pages;

} // namespace

/// One that is nobody's, or a new one; nullptr where there is no memory.
thread_heaps* thread_heaps::take() noexcept {
    const std::lock_guard lock{tables_lock()};
    thread_heaps* table = first_table;
    while (table != nullptr && table->thread_ != nullptr)
        table = table->next_;
    if (table == nullptr) {
        void* const place = table_pages.next();
        if (place == nullptr)
            return nullptr;
        table = ::new (place) thread_heaps;
        table_pages.take();
        table->next_ = first_table;
        first_table = table;
    }
    table->thread_ = thread();
    return table;
}

/// The end is awaited without the lock: that waits while another thread loads a library, of which
/// an object may be about to allocate.
thread_heaps* thread_heaps::make() noexcept {
    if (thread_heaps* const there = mine())
        return there;
    if (thread_exit::has_come())
        return nullptr;
    thread_heaps* const table = take();
    if (table == nullptr)
        return nullptr;
    of_thread = table;
    thread_exit::await(&end);
    return table;
}

/// The thread's shares become nobody's. Objects of the thread that end later may still allocate and
/// free: then each call takes a share for itself.
void thread_heaps::end() noexcept {
    thread_heaps* const table = mine();
    if (table == nullptr)
        return;
    table->stop_all();
    for (affinity_share*& first : table->shares_) {
        affinity_share* next = first;
        first = nullptr;
        while (next != nullptr) {
            affinity_share& share = *next;
            next = share.next_of_thread;
            share.next_of_thread = nullptr;
            if (!share.is_locked())
                share.drain_remote_frees(affinity_share::all_blocks);
            share.home().abandon(share);
        }
    }
    of_thread = &none;
    const std::lock_guard lock{tables_lock()};
    table->thread_ = nullptr;
}

void thread_heaps::after_fork_in_child() noexcept {
    for (thread_heaps* t = first_table; t != nullptr; t = t->next_) {
        if (t->thread_ == nullptr || t->thread_ == thread())
            continue;
        t->stop_all();
        for (affinity_share*& first : t->shares_)
            first = nullptr;
        t->thread_ = nullptr;
    }
}

void thread_heaps::start(unsigned affinity, slab_heap& heap, std::size_t least_alignment) noexcept {
    current_[affinity] = &heap;
    ready_[0][affinity + 1] = least_alignment <= granule_bytes ? &heap : nullptr;
    ready_[1][affinity + 1] = least_alignment <= default_alignment ? &heap : nullptr;
}

void thread_heaps::stop(unsigned affinity) noexcept {
    current_[affinity] = nullptr;
    ready_[0][affinity + 1] = ready_[1][affinity + 1] = nullptr;
}

void thread_heaps::stop_all() noexcept {
    for (unsigned i = 0; i < most_affinities; ++i)
        stop(i);
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
