// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/alignment.hpp>

#include <cstddef>

namespace arenite::lab {

/// The alignment that `new` may ask for an object of so many bytes, of whose type no more is known.
[[nodiscard]] constexpr std::size_t alignment_of_new(std::size_t bytes) noexcept {
    return natural_alignment(bytes);
}

} // namespace arenite::lab
