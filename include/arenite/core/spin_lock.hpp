// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>

#include <atomic>
#include <thread>

namespace arenite::inline ARENITE_ABI {

/// A mutex of one byte for what takes less time than going to sleep: `std::lock_guard lock{spin};`
///
/// Use when:  the owner is out again in well below a microsecond as a rule, and seldom meets
///            another: a share of an affinity. Otherwise std::mutex.
/// Cost:      one atomic exchange and one store, about 6 ns where nobody is in the way.
/// Overhead:  1 byte. Usable before main and after it.
/// Threads:   any. Who waits yields its processor after a few looks, and never sleeps.
class spin_lock {
public:
    constexpr spin_lock() noexcept = default;
    spin_lock(const spin_lock&) = delete;
    spin_lock& operator=(const spin_lock&) = delete;

    ARENITE_INLINE void lock() noexcept {
        if (taken_.exchange(true, std::memory_order_acquire)) [[unlikely]]
            wait();
    }

    [[nodiscard]] ARENITE_INLINE bool try_lock() noexcept {
        return !taken_.exchange(true, std::memory_order_acquire);
    }

    ARENITE_INLINE void unlock() noexcept { taken_.store(false, std::memory_order_release); }

private:
    ARENITE_COLD void wait() noexcept {
        constexpr int patience = 64;
        do {
            for (int looks = 0; taken_.load(std::memory_order_relaxed); ++looks)
                if (looks >= patience)
                    std::this_thread::yield();
        } while (taken_.exchange(true, std::memory_order_acquire));
    }

    std::atomic<bool> taken_{false};
};

} // namespace arenite::inline ARENITE_ABI
