// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include "opaque.hpp"

#include <chrono>
#include <cstddef>

namespace arenite::lab {

/// Nanoseconds since its construction, by the steady clock.
class stopwatch {
public:
    stopwatch() noexcept : start_{(barrier(), std::chrono::steady_clock::now())} {}

    [[nodiscard]] double nanoseconds() const noexcept {
        barrier();
        return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start_)
            .count();
    }

    /// Nanoseconds for each of n operations.
    [[nodiscard]] double per(std::size_t n) const noexcept {
        return nanoseconds() / static_cast<double>(n);
    }

private:
    std::chrono::steady_clock::time_point start_;
};

} // namespace arenite::lab
