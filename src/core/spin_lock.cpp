// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Waiting for a spin_lock: looks without writing, which leave the line shared, and then an
// exchange. After 64 looks each one yields.
#include <arenite/core/detail/spin_lock.hpp>

#include <thread>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

void spin_lock::wait() noexcept {
    // A holder that runs is usually through within these; one that was interrupted needs the
    // processor.
    constexpr int patience = 64;
    do {
        for (int looks = 0; taken_.load(std::memory_order_relaxed); ++looks)
            if (looks >= patience)
                std::this_thread::yield();
    } while (taken_.exchange(true, std::memory_order_acquire));
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
