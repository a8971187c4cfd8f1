// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>

#include <cstddef>
#include <limits>
#include <optional>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// No object can be larger: differences of pointers into it would not fit std::ptrdiff_t.
inline constexpr std::size_t max_object_bytes =
    static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max());

/// a + b, or nullopt if the sum does not fit.
[[nodiscard]] constexpr std::optional<std::size_t> checked_add(std::size_t a,
                                                               std::size_t b) noexcept {
    if (b > std::numeric_limits<std::size_t>::max() - a)
        return std::nullopt;
    return a + b;
}

/// a * b, or nullopt if the product does not fit.
[[nodiscard]] constexpr std::optional<std::size_t> checked_multiply(std::size_t a,
                                                                    std::size_t b) noexcept {
    if (b != 0 && a > std::numeric_limits<std::size_t>::max() / b)
        return std::nullopt;
    return a * b;
}

/// The next multiple of alignment (a power of two), or nullopt if it does not fit.
[[nodiscard]] constexpr std::optional<std::size_t>
checked_align_up(std::size_t value, std::size_t alignment) noexcept {
    if (value > std::numeric_limits<std::size_t>::max() - (alignment - 1))
        return std::nullopt;
    return (value + (alignment - 1)) & ~(alignment - 1);
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
