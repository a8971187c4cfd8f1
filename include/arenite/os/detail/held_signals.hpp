// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>

#if defined(__unix__) || defined(__APPLE__)
#include <signal.h>
#endif

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// While one exists, no signal interrupts this thread: a handler might fork. For steps that must
/// not be left half done in a forked child.
///
/// Cost:      two system calls, to block and to restore; signals wait meanwhile.
/// Threads:   the one that made it ends it; others go on to receive signals. May be nested.
/// Limits:    SIGKILL and SIGSTOP are not held, and a fault of this thread while they
///            are held ends the process. Does nothing elsewhere than on a Unix.
class held_signals {
public:
#if defined(__unix__) || defined(__APPLE__)
    held_signals() noexcept {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before_);
    }
    ~held_signals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
#else
    held_signals() noexcept {} // not by default: compilers would call each one an unused variable
    ~held_signals() {}
#endif
    held_signals(const held_signals&) = delete;
    held_signals& operator=(const held_signals&) = delete;

private:
#if defined(__unix__) || defined(__APPLE__)
    sigset_t before_;
#endif
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
