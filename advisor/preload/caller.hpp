// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstdint>
#include <sched.h>

namespace arenite::preload {

/// Where a function was called from: what its caller has in these registers after the return.
struct caller {
    std::uint64_t pc, sp, rbp;
};

/// The program has restricted its system calls (seccomp): one of ours could be its end. From then
/// on the recorder makes none.
inline constinit std::atomic<bool> shut_in{false};

/// A lock for what happens once a place in the program, not once an event.
class slow_lock {
public:
    void lock() noexcept {
        while (taken_.exchange(1, std::memory_order_acquire) != 0)
            if (!shut_in.load(std::memory_order_relaxed))
                ::sched_yield();
    }
    void unlock() noexcept { taken_.store(0, std::memory_order_release); }

private:
    std::atomic<std::uint32_t> taken_{0};
};

} // namespace arenite::preload
