// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>

#include <array>
#include <cstddef>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// Which markers of one resource are still good: a checked build looks here before it rewinds.
///
/// Markers are numbered as they are taken. A rewind to marker s at a moment when n were taken makes
/// (s, n] worthless, since the states they remember are gone:
///
///     taken    1   2   3   4   5   6
///     rewind to 2  (x   x   x)           then 5, 6 are taken: dead are (2, 4], good 1 2 5 6
///
/// A later rewind to a good marker swallows all dead ranges above it, so the ranges are a stack.
/// Cost:      no memory but its own; a rewind looks at the ranges above it.
/// Limits:    remembers `remembered` ranges. Past that the oldest is forgotten: a mistake may then
///            go unseen, a good marker is never refused.
class marker_order {
public:
    /// The number of a marker taken now; numbers begin at 1.
    [[nodiscard]] std::size_t take() noexcept { return ++taken_; }

    /// True if no rewind has passed below the marker of this number since it was taken.
    [[nodiscard]] bool is_good(std::size_t number) const noexcept {
        for (std::size_t i = count_; i > 0; --i)
            if (number > dead_[i - 1].after)
                return number > dead_[i - 1].last;
        return number <= taken_;
    }

    /// Everything since the marker of this number is gone; 0 for all markers.
    void rewound_to(std::size_t number) noexcept {
        while (count_ > 0 && dead_[count_ - 1].after >= number)
            --count_;
        if (number == taken_)
            return;
        if (count_ == remembered) {
            for (std::size_t i = 1; i < count_; ++i)
                dead_[i - 1] = dead_[i];
            --count_;
        }
        dead_[count_++] = {number, taken_};
    }

private:
    static constexpr std::size_t remembered = 16;

    struct range {
        std::size_t after; // dead are the numbers above this one
        std::size_t last;  // up to this one
    };

    std::array<range, remembered> dead_{};
    std::size_t count_ = 0;
    std::size_t taken_ = 0;
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
