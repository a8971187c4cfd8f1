// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// The slots that suballocators of one size share. A thread takes from rows of its own, under one
// lock for all, and holds some slots back without it. First the rows: finding, joining and leaving
// them; then the slots that a thread holds back; then the reports. Order of locks: the pool's
// mutex_, then that of container_arrays, from which new rows come. Rows and lists of threads are
// changed under it only, while `slots` and `count` of a thread_slots are the thread's own without
// it. The awaiting of a thread's end (await_end) comes before the lock, never inside it.
#include <arenite/check/detail/poison.hpp>
#include <arenite/os/detail/process_lock.hpp>
#include <arenite/stl/detail/shared_slots.hpp>

#include <arenite/check/passthrough.hpp>
#include <arenite/core/detail/thread_exit.hpp>
#include <arenite/stl/detail/container_arrays.hpp>

#include <algorithm>
#include <new>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// Slots that a thread holds back, of all pools; given back when it ends.
struct thread_end {
    static constinit thread_local thread_slots* first;

    static void give_back() noexcept { // from now on each element is the pool's at once
        while (first != nullptr) {
            thread_slots& slots = *first;
            first = slots.next_of_thread;
            slots.owner->leave(slots);
        }
    }

    [[nodiscard]] static bool is_of_this_thread(const thread_slots& slots) noexcept {
        const thread_slots* t = first;
        while (t != nullptr && t != &slots)
            t = t->next_of_thread;
        return t != nullptr;
    }
};

constinit thread_local thread_slots* thread_end::first = nullptr;

namespace {

// All pools of the process, the latest first. They are only added.
constinit std::atomic<shared_slots*> all_pools{nullptr};

/// True if a request needs no more memory.
[[nodiscard]] bool has_a_slot(const suballocator_resource& slots) noexcept {
    return slots.slots_in_use() < slots.slot_count();
}

} // namespace

shared_slots::shared_slots(slot s, const suballocator_options& options, upstream up) noexcept
    : mutex_{[](void* pool) noexcept { static_cast<shared_slots*>(pool)->adopt_after_fork(); },
             this},
      slot_{s}, options_{options}, upstream_{up}, first_{{s, options, up}, nullptr, nullptr} {
    next_pool_ = all_pools.load(std::memory_order_relaxed);
    // Release, for the acquire of those who walk: they see a complete pool.
    while (!all_pools.compare_exchange_weak(next_pool_, this, std::memory_order_release,
                                            std::memory_order_relaxed)) {
    }
}

fork_lock<std::mutex>& shared_slots::making() noexcept {
    return process_lock<std::mutex, shared_slots>();
}

arenite::usage shared_slots::usage_all() noexcept {
    arenite::usage sum;
    for (shared_slots* p = all_pools.load(std::memory_order_acquire); p != nullptr;
         p = p->next_pool_)
        sum += p->usage();
    return sum;
}

void shared_slots::trim_all() noexcept {
    for (shared_slots* p = all_pools.load(std::memory_order_acquire); p != nullptr;
         p = p->next_pool_) {
        thread_slots none; // where this thread holds nothing back
        thread_slots* mine = &none;
        for (thread_slots* t = thread_end::first; t != nullptr; t = t->next_of_thread) {
            if (t->owner == p)
                mine = t;
        }
        p->trim(*mine);
    }
}

// ---- the rows of a thread -----------------------------------------------------------------------

/// The rows that this thread takes from next: its own, as long as a slot of them is free; others
/// that no living thread takes from; its own, which will grow.
thread_rows& shared_slots::rows_with_a_slot(thread_slots& mine) noexcept {
    if (mine.rows == nullptr) [[unlikely]]
        return first_;
    // One thread only, or no need to look further.
    if (first_.next == nullptr || has_a_slot(mine.rows->slots))
        return *mine.rows;
    for (thread_rows* rows = &first_; rows != nullptr; rows = rows->next) {
        if ((rows->owner == nullptr || rows->owner == &mine) && has_a_slot(rows->slots)) {
            rows->owner = &mine;
            mine.rows = rows;
            break;
        }
    }
    return *mine.rows;
}

/// For a thread that joins: those of one that has ended, or new ones. Where there is no memory for
/// them it shares the first with another thread.
thread_rows& shared_slots::rows_to_join() noexcept {
    for (thread_rows* rows = &first_; rows != nullptr; rows = rows->next)
        if (rows->owner == nullptr)
            return *rows;
    void* const p =
        container_arrays::of_process().try_allocate(sizeof(thread_rows), alignof(thread_rows));
    if (p == nullptr)
        return first_;
    suballocator_options options = options_;
    if (options.first_row_bytes != 0)
        options.first_row_bytes = std::max(options.first_row_bytes, first_bytes_of_others);
    first_.next = ::new (p) thread_rows{{slot_, options, upstream_}, nullptr, first_.next};
    return *first_.next;
}

/// The rows that a slot is of; the first, which refuse it, where it is of none.
thread_rows& shared_slots::rows_of(const void* p, thread_rows& likely) noexcept {
    // Usually the thread's own rows: others are asked in turn only for slots that came from
    // elsewhere.
    if (first_.next == nullptr || likely.slots.owns(p))
        return likely;
    for (thread_rows* rows = &first_; rows != nullptr; rows = rows->next)
        if (rows != &likely && rows->slots.owns(p))
            return *rows;
    return first_;
}

/// Where no more memory is to be had: a slot of another thread's rows.
void* shared_slots::take_from_any() noexcept {
    for (thread_rows* rows = &first_; rows != nullptr; rows = rows->next)
        if (has_a_slot(rows->slots))
            if (void* const p = rows->slots.try_allocate(); p != nullptr)
                return p;
    return nullptr;
}

/// The thread ends: its rows are the next one's.
void shared_slots::leave_rows(const thread_slots& mine) noexcept {
    for (thread_rows* rows = &first_; rows != nullptr; rows = rows->next) {
        if (rows->owner == &mine) {
            rows->owner = nullptr;
            return_if_unused(*rows);
        }
    }
}

/// After a slot was freed at once. Rows that no thread takes from keep nothing, but for the first.
void shared_slots::return_if_unused(thread_rows& rows) const noexcept {
    if (rows.owner != nullptr || &rows == &first_)
        return rows.slots.return_if_unused();
    if (rows.slots.slots_in_use() == 0 && rows.slots.slot_count() != 0)
        rows.slots.trim();
}

// ---- slots that a thread holds back -------------------------------------------------------------

/// True if the elements that are left, besides those that a thread holds back, are few, and rows of
/// many are kept for them.
bool shared_slots::keeps_rows_for_few(const suballocator_resource& slots,
                                      std::size_t held) noexcept {
    const std::size_t taken = slots.slots_in_use();
    return taken - std::min(taken, held) < few &&
           slots.slot_count() * slots.slot_bytes() > small_pool_bytes;
}

/// True before the first use of a pool by a thread that may hold something back.
bool shared_slots::is_to_join(const thread_slots& mine) noexcept {
    return mine.owner == nullptr && !thread_exit::has_come() && !slow_only && !passthrough();
}

/// Before the lock: it waits while another thread loads a library, of which an object may be about
/// to use this pool.
void shared_slots::await_end(const thread_slots& mine) noexcept {
    if (is_to_join(mine))
        thread_exit::await(&thread_end::give_back);
}

/// The first use of this pool by a thread, which awaits its end. Under the lock.
void shared_slots::join(thread_slots& mine) noexcept {
    if (!is_to_join(mine))
        return;
    mine.owner = this;
    mine.room = thread_slots::most;
    mine.next_of_thread = thread_end::first;
    thread_end::first = &mine;
    mine.previous = nullptr;
    mine.next = threads_;
    if (threads_ != nullptr)
        threads_->previous = &mine;
    threads_ = &mine;
    mine.rows = &rows_to_join();
    if (mine.rows->owner == nullptr)
        mine.rows->owner = &mine;
}

void shared_slots::leave(thread_slots& mine) noexcept {
    const std::lock_guard lock{mutex_};
    give(mine, mine.count.load(std::memory_order_relaxed));
    mine.room = 0;
    leave_rows(mine);
    mine.rows = nullptr;
    (mine.previous != nullptr ? mine.previous->next : threads_) = mine.next;
    if (mine.next != nullptr)
        mine.next->previous = mine.previous;
}

/// The other threads are not in the child, and their memory may become that of new ones.
void shared_slots::adopt_after_fork() noexcept {
    const std::lock_guard lock{mutex_};
    thread_slots* mine = nullptr;
    for (thread_slots* t = threads_; t != nullptr; t = t->next) {
        if (thread_end::is_of_this_thread(*t))
            mine = t;
        else {
            give(*t, t->count.load(std::memory_order_relaxed));
            leave_rows(*t);
        }
    }
    threads_ = mine;
    if (mine != nullptr)
        mine->next = mine->previous = nullptr;
}

/// Gives back what the thread has held longest.
void shared_slots::give(thread_slots& mine, std::uint32_t count) noexcept {
    const std::uint32_t held = mine.count.load(std::memory_order_relaxed);
    if (first_.next == nullptr) {
        for (std::uint32_t i = 0; i < count; ++i)
            first_.slots.deallocate(mine.slots[i]);
    } else {
        thread_rows* rows = mine.rows != nullptr ? mine.rows : &first_;
        for (std::uint32_t i = 0; i < count; ++i) {
            rows = &rows_of(mine.slots[i], *rows);
            rows->slots.deallocate(mine.slots[i]);
        }
    }
    std::copy(mine.slots + count, mine.slots + held, mine.slots);
    mine.count.store(held - count, std::memory_order_relaxed);
}

/// A slot, and more for the next calls; nullptr where there is no memory.
void* shared_slots::refill(thread_slots& mine) noexcept {
    await_end(mine);
    const std::lock_guard lock{mutex_};
    join(mine);
    if (mine.owner != nullptr && !thread_exit::has_come())
        mine.room = thread_slots::most;
    suballocator_resource& from = rows_with_a_slot(mine).slots;
    const std::size_t free = from.slot_count() - from.slots_in_use();
    void* p = from.try_allocate();
    std::uint32_t count = 0;
    if (p != nullptr) {
        std::uint32_t wanted = mine.room / 2;
        if (first_.next != nullptr && free != 0) // other rows come before more memory
            wanted = static_cast<std::uint32_t>(std::min<std::size_t>(wanted, free - 1));
        while (count < wanted && (mine.slots[count] = from.try_allocate()) != nullptr)
            ++count;
        std::reverse(mine.slots, mine.slots + count); // so that they come out upward
    } else if (first_.next != nullptr) {
        p = take_from_any();
    }
    mine.count.store(count, std::memory_order_relaxed);
    return p;
}

/// Takes a slot for which the thread has no room.
void shared_slots::spill(thread_slots& mine, void* p) noexcept {
    await_end(mine);
    const std::lock_guard lock{mutex_};
    join(mine);
    thread_rows& of = rows_of(p, mine.rows != nullptr ? *mine.rows : first_);
    if (mine.room == 0) {
        of.slots.deallocate(p);
        return return_if_unused(of);
    }
    const std::uint32_t held = mine.count.load(std::memory_order_relaxed);
    // Each slot held back would keep a row: none until the next request.
    if (of.slots.is_sparse() || keeps_rows_for_few(of.slots, held)) {
        give(mine, held);
        mine.room = 0;
        return of.slots.deallocate(p);
    }
    if (held == mine.room)
        give(mine, held / 2);
    const std::uint32_t left = mine.count.load(std::memory_order_relaxed);
    mine.slots[left] = p;
    mine.count.store(left + 1, std::memory_order_relaxed);
}

arenite::usage shared_slots::usage() noexcept {
    const std::lock_guard lock{mutex_};
    arenite::usage u = first_.slots.usage();
    for (const thread_rows* rows = first_.next; rows != nullptr; rows = rows->next)
        u += rows->slots.usage();
    std::size_t held = 0;
    for (const thread_slots* t = threads_; t != nullptr; t = t->next)
        held += t->count.load(std::memory_order_relaxed);
    held = std::min(held, u.live_allocations); // while other threads run
    u.live_allocations -= held;
    u.bytes_in_use -= held * first_.slots.slot_bytes();
    if (held != 0)
        u.largest_hole_bytes = first_.slots.slot_bytes();
    return u;
}

void shared_slots::trim(thread_slots& mine) noexcept {
    const std::lock_guard lock{mutex_};
    give(mine, mine.count.load(std::memory_order_relaxed));
    for (thread_rows* rows = &first_; rows != nullptr; rows = rows->next)
        rows->slots.trim();
}

bool shared_slots::owns(const void* p) noexcept {
    const std::lock_guard lock{mutex_};
    return rows_of(p, first_).slots.owns(p);
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
