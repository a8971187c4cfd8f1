// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstdint>
#include <sched.h>
#include <signal.h>

namespace arenite::preload {

/// Where a function was called from: what its caller has in these registers after the return.
struct caller {
    std::uint64_t pc, sp, rbp;
};

/// The program has restricted its system calls (seccomp): one of ours could be its end. From then
/// on the recorder makes none.
inline constinit std::atomic<bool> shut_in{false};

/// A lock for what happens once a place in the program, not once an event. Its owner gets no
/// signal, if system calls may be made: a handler might leave it by a jump, and nobody could take
/// the lock any more.
class slow_lock {
public:
    void lock() noexcept {
        sigset_t all, before;
        ::sigfillset(&all);
        const bool blocks = !shut_in.load(std::memory_order_relaxed) &&
                            ::pthread_sigmask(SIG_BLOCK, &all, &before) == 0;
        while (taken_.exchange(1, std::memory_order_acquire) != 0)
            if (!shut_in.load(std::memory_order_relaxed))
                ::sched_yield();
        blocks_ = blocks;
        if (blocks)
            before_ = before;
    }
    void unlock() noexcept {
        const bool blocks = blocks_;
        const sigset_t before = before_;
        taken_.store(0, std::memory_order_release);
        if (blocks)
            ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    }

    /// In a forked child: who had it is not there.
    void forget_owner() noexcept { taken_.store(0, std::memory_order_relaxed); }

private:
    std::atomic<std::uint32_t> taken_{0};
    bool blocks_ = false; ///< the owner has blocked its signals
    sigset_t before_{};   ///< its mask before that
};

} // namespace arenite::preload
