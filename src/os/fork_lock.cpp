// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// All fork_locks of the process in one list. Before a fork each of them is taken, outermost ones
// first, without waiting long for one while others are held; afterwards all are given up, and the
// child tells their owners. A signal's handler may fork, too, where it interrupted a fork, or the
// only thread inside a lock. Read take_all() first. A child has only the thread that forked: a lock
// that another thread held then would stay locked for ever, and what it guards be half changed.
#include <arenite/os/detail/fork_lock.hpp>

#include <arenite/core/detail/process_object.hpp>
#include <arenite/core/detail/spin_lock.hpp>
#include <arenite/core/detail/thread_exit.hpp>
#include <arenite/os/detail/held_signals.hpp>
#include <arenite/os/detail/platform.hpp>
#include <arenite/os/page_resource.hpp>

#include <mutex>
#include <thread>
#include <utility>

namespace arenite {
inline namespace ARENITE_ABI {

namespace detail {

/// All that there are.
struct fork_chain {
    static constinit spin_lock adding;
    static constinit fork_link* first;
    static constinit unsigned forks_within; ///< by handlers of signals that interrupted a fork
    static constinit bool holds_adding;
    static constexpr std::atomic<const void*>& forking = fork_link::forking;
    static constexpr const void* waiting = &fork_link::forking;

    static void see_to_forks() noexcept {
        // Functions before a fork run in the reverse of the order in which they were given, those
        // after it in that order: so the pages' lock is taken last and given up first.
        process_pages::see_to_forks(); // the lock of the pages is the last to be taken
        os::platform::at_fork(lock_all, unlock_all, unlock_all_in_child);
        see_to_forks_around(); // after ours: so before them at a fork
    }

    static void unlock_until(const fork_link* end) noexcept {
        for (fork_link* l = first; l != end;) {
            fork_link& here = *l;
            l = here.next_;
            if (here.lock_ == nullptr)
                unlock(here);
        }
    }

    // Outermost locks (those of thread heaps, for one) are waited for as long as it takes: their
    // holders wait for no other of them, nor for a lock whose holder waits for one, so that each
    // wait ends.
    static void lock_outermost() noexcept {
        for (fork_link* l = first; l != nullptr; l = l->next_) {
            if (l->lock_ != nullptr) {
                l->lock_(*l);
                l->is_held_ = true;
            }
        }
    }

    static void unlock_outermost() noexcept {
        for (fork_link* l = first; l != nullptr; l = l->next_)
            if (l->lock_ != nullptr)
                unlock(*l);
    }

    static void unlock(fork_link& l) noexcept {
        if (std::exchange(l.is_held_, false))
            l.unlock_(l);
    }

    /// True if it was to be had within a moment, in which its owner runs as a rule.
    static bool take(fork_link& l) noexcept {
        constexpr int patience = 500;
        for (int n = 0; n < patience; ++n) {
            if (l.try_lock_(l))
                return l.is_held_ = true;
            if (n % 16 == 15)
                std::this_thread::yield();
        }
        return false;
    }

    /// By the only thread. It holds what is not to be had: a signal has interrupted it inside, and
    /// its handler forks.
    static void take_alone() noexcept {
        holds_adding = adding.try_lock();
        for (fork_link* l = first; l != nullptr; l = l->next_)
            l->is_held_ = l->try_lock_(*l);
    }

    /// Who holds one of them may wait for another, in whatever order: so none is waited for long
    /// while others are held.
    static void take_all() noexcept {
        const void* nobody = nullptr;
        forking.compare_exchange_strong(nobody, waiting, std::memory_order_relaxed);
        for (;;) {
            adding.lock(); // waits for another thread that forks
            forking.store(waiting, std::memory_order_relaxed);
            lock_outermost();
            fork_link* l = first;
            while (l != nullptr && (l->lock_ != nullptr || take(*l)))
                l = l->next_;
            if (l == nullptr)
                break;
            unlock_until(l);
            unlock_outermost();
            adding.unlock();
            std::this_thread::yield();
        }
        holds_adding = true;
    }

    static void lock_all() noexcept {
        const held_signals held;
        if (fork_link::holds_all()) {
            // All locks are held already, by the fork that the signal interrupted: that one gives
            // them up.
            ++forks_within;
            return;
        }
        if (spin_lock::nobody_else())
            take_alone();
        else
            take_all();
        // From now on calls of this thread pass the locks instead of waiting for themselves.
        forking.store(thread_exit::thread(), std::memory_order_relaxed);
    }

    static void give_up_all() noexcept {
        if (forks_within != 0) {
            --forks_within;
            return;
        }
        forking.store(nullptr, std::memory_order_relaxed);
        unlock_until(nullptr);
        unlock_outermost();
        if (std::exchange(holds_adding, false))
            adding.unlock();
    }

    static void unlock_all() noexcept {
        const held_signals held;
        give_up_all();
    }

    static void unlock_all_in_child() noexcept {
        const held_signals held;
        give_up_all();
        for (fork_link* l = first; l != nullptr; l = l->next_)
            if (l->in_child_ != nullptr)
                // After all locks were given up: an owner's function may take others.
                l->in_child_(l->owner_);
    }
};

namespace {

struct registration {
    registration() noexcept { fork_chain::see_to_forks(); }
};

} // namespace

constinit spin_lock fork_chain::adding;
constinit fork_link* fork_chain::first = nullptr;
constinit unsigned fork_chain::forks_within = 0;
constinit bool fork_chain::holds_adding = false;

constinit std::atomic<const void*> fork_link::forking{nullptr};

bool fork_link::is_this_thread(const void* who) noexcept { return who == thread_exit::thread(); }

bool fork_link::passes_or_waits() noexcept {
    if (holds_all())
        return true;
    constexpr int patience = 100;
    for (int n = 0; n < patience; ++n) {
        if (forking.load(std::memory_order_relaxed) != fork_chain::waiting)
            break;
        std::this_thread::yield();
    }
    return false;
}

namespace {

/// Held by the thread that forks, too.
struct adding_guard {
    bool passes;
    explicit adding_guard(bool holds_all) noexcept : passes{holds_all} {
        if (!passes)
            fork_chain::adding.lock();
    }
    adding_guard(const adding_guard&) = delete;
    adding_guard& operator=(const adding_guard&) = delete;
    ~adding_guard() {
        if (!passes)
            fork_chain::adding.unlock();
    }
};

} // namespace

void fork_link::add() noexcept {
    static_cast<void>(process_object<registration>::get());
    const adding_guard guard{holds_all()};
    if (guard.passes)
        is_held_ = try_lock_(*this); // as all others are: with them it is given up
    // New ones in front: what is made later is taken earlier.
    next_ = fork_chain::first;
    if (next_ != nullptr)
        next_->previous_ = this;
    fork_chain::first = this;
}

void fork_link::remove() noexcept {
    const adding_guard guard{holds_all()};
    if (guard.passes && is_held_)
        unlock_(*this);
    (previous_ != nullptr ? previous_->next_ : fork_chain::first) = next_;
    if (next_ != nullptr)
        next_->previous_ = previous_;
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
