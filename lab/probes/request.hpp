// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>

namespace arenite::lab {

/// The alignment that `new` may ask for an object of so many bytes, of whose type no more is known:
/// the largest power of two that divides its size, at most 16.
[[nodiscard]] constexpr std::size_t alignment_of_new(std::size_t bytes) noexcept {
    return std::min<std::size_t>(bytes & (~bytes + 1), 16);
}

} // namespace arenite::lab
