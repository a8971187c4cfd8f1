// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>

namespace arenite::lab {

/// Gives every subject the same numbers, on every machine and standard library: the engine is fixed
/// by the standard, the distributions of the library (which are not) are not used.
class random_source {
public:
    explicit random_source(std::uint64_t seed) : engine_{seed} {}

    /// A number below n, for n far below 2^64.
    [[nodiscard]] std::uint64_t below(std::uint64_t n) { return engine_() % n; }

    template <class Range>
    void shuffle(Range& range) {
        for (std::size_t i = range.size(); i > 1; --i)
            std::swap(range[i - 1], range[static_cast<std::size_t>(below(i))]);
    }

private:
    std::mt19937_64 engine_;
};

} // namespace arenite::lab
