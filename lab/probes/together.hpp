// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include "clock.hpp"

#include <array>
#include <barrier>
#include <cstddef>
#include <thread>

namespace arenite::lab {

inline constexpr std::size_t most_threads = 16;

/// Runs work(0) here and work(1) ... on other threads, all at once: the time from when all are
/// there until all are through, in nanoseconds.
template <class Work>
double together(std::size_t threads, Work work) {
    std::barrier<> line{static_cast<std::ptrdiff_t>(threads)};
    std::array<std::thread, most_threads> others;
    for (std::size_t i = 1; i < threads; ++i)
        others[i] = std::thread{[&, i] {
            line.arrive_and_wait();
            work(i);
        }};
    line.arrive_and_wait();
    const stopwatch running;
    work(std::size_t{0});
    for (std::size_t i = 1; i < threads; ++i)
        others[i].join();
    return running.nanoseconds();
}

} // namespace arenite::lab
