// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/alignment.hpp>
#include <arenite/core/config.hpp>

#include <cstddef>

namespace arenite {
inline namespace ARENITE_ABI {

/// The most that a program has allocated at once: for tlsf_resource::bytes_needed.
struct tlsf_load {
    std::size_t bytes;         ///< in all allocations together; one of 0 bytes counts as 1
    std::size_t allocations;   ///< how many
    std::size_t largest_bytes; ///< of one
    std::size_t largest_alignment = default_alignment;
};

} // namespace ARENITE_ABI
} // namespace arenite
