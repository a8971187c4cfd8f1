// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include "clock.hpp"

#include <chrono>
#include <cstdint>

#if defined(__x86_64__) || defined(_M_X64)
#include <x86intrin.h>
#endif

namespace arenite::lab {

// The processor's own clock. It ticks at a fixed rate, near the nominal frequency, whatever the
// core runs at: what older texts call cycles. On x86-64 the time-stamp counter, fenced on both
// sides, so that what is measured begins after it and has ended before it; on AArch64 the virtual
// counter, which ticks more slowly (25 MHz to 1 GHz): few, large ticks.

#if defined(__x86_64__) || defined(_M_X64)
inline constexpr const char* tick_source = "rdtsc";

[[nodiscard]] inline std::uint64_t ticks() noexcept {
    barrier();
    _mm_lfence();
    const std::uint64_t now = __rdtsc();
    _mm_lfence();
    barrier();
    return now;
}
#elif defined(__aarch64__)
inline constexpr const char* tick_source = "cntvct_el0";

[[nodiscard]] inline std::uint64_t ticks() noexcept {
    std::uint64_t now = 0;
    asm volatile("isb\n\tmrs %0, cntvct_el0\n\tisb" : "=r"(now) : : "memory");
    return now;
}
#else
inline constexpr const char* tick_source = "steady clock, in ns";

[[nodiscard]] inline std::uint64_t ticks() noexcept {
    return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch() /
                                      std::chrono::nanoseconds{1});
}
#endif

/// Measured against the steady clock, in about 20 ms.
[[nodiscard]] inline double measure_ticks_per_ns() {
    const stopwatch watch;
    const std::uint64_t start = ticks();
    double ns = 0;
    while (ns < 20e6)
        ns = watch.nanoseconds();
    return static_cast<double>(ticks() - start) / ns;
}

} // namespace arenite::lab
