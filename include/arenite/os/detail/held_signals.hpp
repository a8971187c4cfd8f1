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

/// While one exists, no signal interrupts this thread: a handler might fork.
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
    held_signals() noexcept = default;
    ~held_signals() = default;
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
