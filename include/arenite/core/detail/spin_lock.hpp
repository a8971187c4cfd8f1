// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>

#include <atomic>

// From glibc 2.32 on; toolchains for older ones may have the header all the same.
#define ARENITE_KNOWS_SINGLE_THREADS 0
#if defined(__GLIBC__)
#if __GLIBC_PREREQ(2, 32)
#include <sys/single_threaded.h>
#undef ARENITE_KNOWS_SINGLE_THREADS
#define ARENITE_KNOWS_SINGLE_THREADS 1
#endif
#endif

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// A mutex of one byte, for critical sections shorter than going to sleep takes: `std::lock_guard
/// lock{spin};`
///
/// Use when:  it is usually held for well below a microsecond, and seldom contended. Otherwise
///            std::mutex.
/// Cost:      one atomic exchange and one store, about 6 ns uncontended; two stores if the C
///            library knows that there is no other thread.
/// Overhead:  1 byte. Usable before main and after it.
/// Threads:   any. A waiting thread yields its processor after a few attempts, and never sleeps.
class spin_lock {
public:
    constexpr spin_lock() noexcept = default;
    spin_lock(const spin_lock&) = delete;
    spin_lock& operator=(const spin_lock&) = delete;

    ARENITE_INLINE void lock() noexcept {
        if (nobody_else()) {
            taken_.store(true, std::memory_order_relaxed);
            return;
        }
        if (taken_.exchange(true, std::memory_order_acquire)) [[unlikely]]
            wait();
    }

    [[nodiscard]] ARENITE_INLINE bool try_lock() noexcept {
        return !taken_.exchange(true, std::memory_order_acquire);
    }

    ARENITE_INLINE void unlock() noexcept { taken_.store(false, std::memory_order_release); }

    /// True if the process is known to have only one thread, which makes no others while it holds
    /// the lock.
    [[nodiscard]] ARENITE_INLINE static bool nobody_else() noexcept {
#if ARENITE_KNOWS_SINGLE_THREADS
        return __libc_single_threaded != 0;
#else
        return false;
#endif
    }

private:
    ARENITE_COLD void wait() noexcept;

    std::atomic<bool> taken_{false};
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
