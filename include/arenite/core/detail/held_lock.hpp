// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// Holds a lock during a call that may find misuse; given up before a contract handler is called.
///
///     const held_lock lock{mutex};
///
/// A handler may want the thing that the lock guards, to report on it or to fork, and it may leave
/// by longjmp or end its thread: then no destructor gives the lock back.
///
/// Use when:  a call that checks its arguments does so under a lock.
/// Cost:      the lock's, and two calls.
/// Threads:   any; a lock is given up by the thread that holds it.
class held_lock {
public:
    template <class Lock>
    explicit held_lock(Lock& lock) noexcept
        : lock_{&lock}, unlock_{[](void* held) noexcept { static_cast<Lock*>(held)->unlock(); }} {
        lock.lock();
        enter();
    }
    ~held_lock() {
        leave();
        if (lock_ != nullptr)
            unlock_(lock_);
    }
    held_lock(const held_lock&) = delete;
    held_lock& operator=(const held_lock&) = delete;

    /// Gives up all that the calling thread holds, the innermost first.
    static void give_up_all() noexcept;

private:
    ARENITE_NOINLINE void enter() noexcept;
    ARENITE_NOINLINE void leave() noexcept;

    void* lock_;
    void (*unlock_)(void* held) noexcept;
    held_lock* outer_ = nullptr;
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
