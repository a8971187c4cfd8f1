// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>

#include <cstdint>

namespace arenite {
inline namespace ARENITE_ABI {

/// Where an offset_heap allocates its blocks, and frees them: a pair of functions. They may read
/// the heap that calls them, but not change it.
///
///     offset_source source{.get = &get_block, .give_back = &free_block, .user = &device};
struct offset_source {
    /// A new block of so many bytes, by a name of the source's own; nullptr if there is none. The
    /// heap then requests less, if that is enough.
    void* (*get)(std::uint64_t bytes, void* user) noexcept;
    void (*give_back)(void* block, std::uint64_t bytes, void* user) noexcept;
    void* user = nullptr;
};

} // namespace ARENITE_ABI
} // namespace arenite
