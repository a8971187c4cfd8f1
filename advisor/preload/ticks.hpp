// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../record/area.hpp"
#include "caller.hpp"

#include <atomic>
#include <cstdint>
#include <time.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace arenite::preload {

/// The processor's counter, or nanoseconds where there is none that is read so cheaply.
inline std::uint64_t ticks() noexcept {
#if defined(__x86_64__)
    return __rdtsc();
#else
    timespec t{};
    ::clock_gettime(CLOCK_MONOTONIC, &t);
    return static_cast<std::uint64_t>(t.tv_sec) * 1000000000u +
           static_cast<std::uint64_t>(t.tv_nsec);
#endif
}

/// Ticks once all that comes before has been done and nothing else begun.
inline std::uint64_t ticks_when_done() noexcept {
#if defined(__x86_64__)
    _mm_mfence();
    _mm_lfence();
    const std::uint64_t now = __rdtsc();
    _mm_lfence();
    return now;
#else
    return ticks();
#endif
}

/// CPU time of this thread; 0 where no system call may be made.
inline std::uint64_t thread_cpu_ns() noexcept {
    if (shut_in.load(std::memory_order_relaxed))
        return 0;
    timespec t{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<std::uint64_t>(t.tv_sec) * 1000000000u +
           static_cast<std::uint64_t>(t.tv_nsec);
}

/// Counts what happens once a place in the program, not once an event, from its beginning to its
/// end, unless another program ran meanwhile, by its length.
class rare_work {
public:
    explicit rare_work(record::own_costs& to) noexcept : to_{to}, begin_{ticks()} {}
    ~rare_work() {
        constexpr std::uint64_t displaced = 1u << 21;
        if (const std::uint64_t taken = ticks() - begin_; taken < displaced)
            to_.rare_ticks.fetch_add(taken, std::memory_order_relaxed);
    }
    rare_work(const rare_work&) = delete;
    rare_work& operator=(const rare_work&) = delete;

private:
    record::own_costs& to_;
    std::uint64_t begin_;
};

} // namespace arenite::preload
