// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>

#include <atomic>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// Says of a fork_lock that its holder waits for no other such lock, and for none that others
/// hold while they wait for such a one: a fork takes these first, and waits for each as all do.
struct outermost_t {};
inline constexpr outermost_t outermost{};

/// Called once, when the library has seen to forks: handlers that this registers are the first
/// before a fork and the last after it, so they may take what must be had before the locks here.
/// Defined by what is the process's malloc; other builds have nothing to take there.
#if ARENITE_IS_MALLOC
void see_to_forks_around() noexcept;
#else
inline void see_to_forks_around() noexcept {}
#endif

/// One of the locks that are taken while the process forks.
class fork_link {
public:
    fork_link(const fork_link&) = delete;
    fork_link& operator=(const fork_link&) = delete;

protected:
    using try_call = bool (*)(fork_link&) noexcept;
    using call = void (*)(fork_link&) noexcept;
    using child_call = void (*)(void* owner) noexcept;

    fork_link(try_call try_lock, call unlock, child_call in_child, void* owner) noexcept
        : try_lock_{try_lock}, unlock_{unlock}, in_child_{in_child}, owner_{owner} {}
    ~fork_link() = default;

    void add() noexcept;
    void remove() noexcept;

    /// True for the thread that forks, while it holds all of them: it goes through. Lets another
    /// one that is about to fork go first, for a while: locks are not fair.
    [[nodiscard]] static bool passes() noexcept {
        return forking.load(std::memory_order_relaxed) != nullptr && passes_or_waits();
    }
    [[nodiscard]] static bool holds_all() noexcept {
        const void* const who = forking.load(std::memory_order_relaxed);
        return who != nullptr && is_this_thread(who);
    }

    call lock_ = nullptr; ///< of an outermost one

private:
    friend struct fork_chain;

    ARENITE_COLD static bool passes_or_waits() noexcept;
    ARENITE_COLD static bool is_this_thread(const void* who) noexcept;

    /// thread_exit::thread() of the one that holds all locks; &forking: one waits for them.
    static std::atomic<const void*> forking;

    fork_link* next_ = nullptr;
    fork_link* previous_ = nullptr;
    try_call try_lock_;
    call unlock_;
    child_call in_child_;
    void* owner_;
    bool is_held_ = false; ///< for a fork
};

/// A lock that no other thread holds when the process forks, so that it is free in the child and
/// what it guards is whole: `std::lock_guard guard{lock};`
///
///     fork()   all of them are taken, in any order, without waiting long for one while others
///              are held -> the process forks
///              all are given up, in the parent and in the child; in the child alone `in_child`
///              is called for each that has it, then
///
/// A program's own handlers of forks may come between the two: what they lock is free to them, as
/// no other thread is inside one.
///
/// Use when:  what it guards is shared by threads and is to be used in a child of any of them.
/// Cost:      that of Mutex and two loads; construction and destruction a lock that all share.
/// Overhead:  56 bytes beside Mutex.
/// Limits:    code that holds one and asks for memory from a resource of the user's that forks, or
///            that holds a lock over a fork, waits for ever.
/// Threads:   any.
template <class Mutex>
class fork_lock : private fork_link {
public:
    fork_lock() noexcept : fork_lock{nullptr, nullptr} {}

    explicit fork_lock(outermost_t) noexcept
        : fork_link{&try_lock_one, &unlock_one, nullptr, nullptr} {
        lock_ = [](fork_link& l) noexcept { static_cast<fork_lock&>(l).mutex_.lock(); };
        add();
    }

    /// Calls in_child(owner) in the child, when all locks are free there.
    fork_lock(child_call in_child, void* owner) noexcept
        : fork_link{&try_lock_one, &unlock_one, in_child, owner} {
        add(); // whole by now
    }

    ~fork_lock() { remove(); }

    void lock() noexcept {
        if (!passes())
            mutex_.lock();
    }
    [[nodiscard]] bool try_lock() noexcept { return holds_all() || mutex_.try_lock(); }

    /// Does not touch the lock after it was given up, if Mutex does not: the next holder may
    /// end the object that it is part of.
    void unlock() noexcept {
        if (!holds_all()) [[likely]]
            mutex_.unlock();
    }

private:
    static bool try_lock_one(fork_link& l) noexcept {
        return static_cast<fork_lock&>(l).mutex_.try_lock();
    }
    static void unlock_one(fork_link& l) noexcept { static_cast<fork_lock&>(l).mutex_.unlock(); }

    Mutex mutex_;
};

/// How many visitors a list has: while there is one, nothing is taken out of it. In a forked child
/// the count begins anew, and a visit of before the fork ends uncounted: its thread may be gone.
///
/// Threads:   under the list's lock.
class visitor_count {
public:
    using ticket = unsigned; ///< what leave() is given

    [[nodiscard]] ticket enter() noexcept {
        ++here_;
        return forks_;
    }
    void leave(ticket entered) noexcept {
        if (entered == forks_)
            --here_;
    }
    [[nodiscard]] bool none() const noexcept { return here_ == 0; }

    void after_fork_in_child() noexcept {
        here_ = 0;
        ++forks_;
    }

private:
    unsigned here_ = 0;
    ticket forks_ = 0;
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
