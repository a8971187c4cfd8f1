// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/check/detail/build_mode.hpp>
#include <arenite/stl/detail/shared_slots.hpp>

#include <arenite/check/passthrough.hpp>
#include <arenite/core/detail/thread_exit.hpp>

#include <algorithm>

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

} // namespace

shared_slots::shared_slots(slot s, const suballocator_options& options, upstream up) noexcept
    : mutex_{[](void* pool) noexcept { static_cast<shared_slots*>(pool)->adopt_after_fork(); },
             this},
      slots_{s, options, up} {
    next_pool_ = all_pools.load(std::memory_order_relaxed);
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

/// True if the elements that are left, besides those that a thread holds back, are few, and rows of
/// many are kept for them.
bool shared_slots::keeps_rows_for_few(std::size_t held) const noexcept {
    const std::size_t taken = slots_.slots_in_use();
    return taken - std::min(taken, held) < few &&
           slots_.slot_count() * slots_.slot_bytes() > small_pool_bytes;
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
}

void shared_slots::leave(thread_slots& mine) noexcept {
    const std::lock_guard lock{mutex_};
    give(mine, mine.count.load(std::memory_order_relaxed));
    mine.room = 0;
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
        else
            give(*t, t->count.load(std::memory_order_relaxed));
    }
    threads_ = mine;
    if (mine != nullptr)
        mine->next = mine->previous = nullptr;
}

/// Gives back what the thread has held longest.
void shared_slots::give(thread_slots& mine, std::uint32_t count) noexcept {
    const std::uint32_t held = mine.count.load(std::memory_order_relaxed);
    for (std::uint32_t i = 0; i < count; ++i)
        slots_.deallocate(mine.slots[i]);
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
    void* const p = slots_.try_allocate();
    std::uint32_t count = 0;
    if (p != nullptr) {
        const std::uint32_t wanted = mine.room / 2;
        while (count < wanted && (mine.slots[count] = slots_.try_allocate()) != nullptr)
            ++count;
        std::reverse(mine.slots, mine.slots + count); // so that they come out upward
    }
    mine.count.store(count, std::memory_order_relaxed);
    return p;
}

/// Takes a slot for which the thread has no room.
void shared_slots::spill(thread_slots& mine, void* p) noexcept {
    await_end(mine);
    const std::lock_guard lock{mutex_};
    join(mine);
    if (mine.room == 0) {
        slots_.deallocate(p);
        return slots_.return_if_unused();
    }
    const std::uint32_t held = mine.count.load(std::memory_order_relaxed);
    // Each slot held back would keep a row: none until the next request.
    if (slots_.is_sparse() || keeps_rows_for_few(held)) {
        give(mine, held);
        mine.room = 0;
        return slots_.deallocate(p);
    }
    if (held == mine.room)
        give(mine, held / 2);
    const std::uint32_t left = mine.count.load(std::memory_order_relaxed);
    mine.slots[left] = p;
    mine.count.store(left + 1, std::memory_order_relaxed);
}

arenite::usage shared_slots::usage() noexcept {
    const std::lock_guard lock{mutex_};
    arenite::usage u = slots_.usage();
    std::size_t held = 0;
    for (const thread_slots* t = threads_; t != nullptr; t = t->next)
        held += t->count.load(std::memory_order_relaxed);
    held = std::min(held, u.live_allocations); // while other threads run
    u.live_allocations -= held;
    u.bytes_in_use -= held * slots_.slot_bytes();
    if (held != 0)
        u.largest_hole_bytes = slots_.slot_bytes();
    return u;
}

void shared_slots::trim(thread_slots& mine) noexcept {
    const std::lock_guard lock{mutex_};
    give(mine, mine.count.load(std::memory_order_relaxed));
    slots_.trim();
}

bool shared_slots::owns(const void* p) noexcept {
    const std::lock_guard lock{mutex_};
    return slots_.owns(p);
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
