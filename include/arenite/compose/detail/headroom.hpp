// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>

#include <cstddef>
#include <limits>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// Bytes left below a mark: a request costs a subtraction and a test of the sign.
///
///     0 ............. in use ....... mark
///                           |<-left->|      negative: above the mark
///
/// A careful one acts as if it were always above the mark, so that its user checks each request.
///
/// Limits:    at most PTRDIFF_MAX / 2 bytes below the mark, and above it.
/// Threads:   one at a time.
class headroom {
public:
    headroom(std::size_t bytes, bool careful) noexcept
        : left_{static_cast<std::ptrdiff_t>(bytes) - (careful ? below_all : 0)}, careful_{careful} {
    }

    // Sizes that no object can have wrap around, and are added back when they are refused.

    /// Subtracts from what is left; true if use is then still within the mark.
    ARENITE_INLINE bool take(std::size_t bytes) noexcept {
        left_ = static_cast<std::ptrdiff_t>(static_cast<std::size_t>(left_) - bytes);
        return left_ >= 0;
    }

    /// Adds to what is left; true if use is then within the mark.
    ARENITE_INLINE bool give(std::size_t bytes) noexcept {
        left_ = static_cast<std::ptrdiff_t>(static_cast<std::size_t>(left_) + bytes);
        return left_ >= 0;
    }

    /// Negative: the bytes above the mark.
    [[nodiscard]] std::ptrdiff_t left() const noexcept {
        return left_ + (careful_ ? below_all : 0);
    }
    [[nodiscard]] bool is_careful() const noexcept { return careful_; }

private:
    static constexpr std::ptrdiff_t below_all = std::numeric_limits<std::ptrdiff_t>::max() / 2 + 1;

    std::ptrdiff_t left_;
    bool careful_;
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
