// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/affinity/detail/remote_frees.hpp>
#include <arenite/core/detail/bits.hpp>

#include <cstddef>

namespace support {

/// Objects of a block that other threads freed, and its owner has not drained.
inline std::size_t count_marks(const arenite::detail::remote_frees& of) {
    std::size_t n = 0;
    for (const auto& word : of.freed)
        n += arenite::detail::bits::count_ones(word.load());
    return n;
}

} // namespace support
