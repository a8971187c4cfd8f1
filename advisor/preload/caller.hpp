// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstdint>
#include <pthread.h>
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

/// No signal comes to this thread from hold() to release(), if system calls may be made, and nobody
/// cancels it: a handler might leave what is done there by a jump, and nobody would end it any
/// more; nor is malloc a place where a thread may be cancelled, though what is done there is.
class held_signals {
public:
    void hold() noexcept {
        sigset_t all;
        ::sigfillset(&all);
        holds_ = !shut_in.load(std::memory_order_relaxed) &&
                 ::pthread_sigmask(SIG_BLOCK, &all, &before_) == 0;
        if (holds_)
            (void)::pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_before_);
    }
    void release() const noexcept {
        if (!holds_)
            return;
        (void)::pthread_setcancelstate(cancel_before_, nullptr);
        ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    }
    [[nodiscard]] bool holds() const noexcept { return holds_; }
    /// The thread took this signal before.
    [[nodiscard]] bool took(int signal) const noexcept {
        return holds_ && ::sigismember(&before_, signal) == 0;
    }

private:
    bool holds_ = false;
    int cancel_before_ = PTHREAD_CANCEL_ENABLE;
    sigset_t before_{};
};

/// A lock for what happens once a place in the program, not once an event. Its owner gets no
/// signal: a jump would leave it taken.
class slow_lock {
public:
    void lock() noexcept {
        held_signals mine;
        mine.hold();
        while (taken_.exchange(1, std::memory_order_acquire) != 0)
            if (!shut_in.load(std::memory_order_relaxed))
                ::sched_yield();
        owners_ = mine;
    }
    void unlock() noexcept {
        const held_signals mine = owners_;
        taken_.store(0, std::memory_order_release);
        mine.release();
    }

    /// In a forked child: who had it is not there.
    void forget_owner() noexcept { taken_.store(0, std::memory_order_relaxed); }

private:
    std::atomic<std::uint32_t> taken_{0};
    held_signals owners_;
};

} // namespace arenite::preload
