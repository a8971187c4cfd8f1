// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>

#include <cstdint>

namespace arenite {
inline namespace ARENITE_ABI {

/// Requests that are about to come: so many of one size and alignment. See offset_heap::reserve.
struct offset_requirement {
    std::uint64_t bytes = 0;
    std::uint64_t alignment = 1;
    std::uint64_t count = 1;
};

} // namespace ARENITE_ABI
} // namespace arenite
