// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/affinity/affinity.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/core/config.hpp>
#include <arenite/interop/malloc_like.hpp>

#include <cstddef>
#include <string_view>

namespace arenite {
inline namespace ARENITE_ABI {

namespace affinities {
struct bullet final {
    static constexpr std::string_view name = "Bullet";
};
} // namespace affinities

/// Bullet's memory in an affinity of its own.
///
///     using memory = arenite::bullet_memory<>;
///     btAlignedAllocSetCustom(&memory::allocate, &memory::deallocate);
///     btAlignedAllocSetCustomAligned(&memory::allocate_aligned, &memory::deallocate);
///
/// Use when:  a program simulates with Bullet: bodies and shapes lie together; with the tag
///            affinities::physics, together with your own.
/// Cost:      malloc_like's.
/// Limits:    must be set before Bullet's first object.
/// Threads:   any.
/// Failure:   nullptr; also if the alignment is not a power of two.
template <AffinityTag A = affinities::bullet>
class bullet_memory {
public:
    using memory = malloc_like<A>;

    /// A btAllocFunc.
    [[nodiscard]] static void* allocate(std::size_t bytes) { return memory::allocate(bytes); }
    /// A btAlignedAllocFunc.
    [[nodiscard]] static void* allocate_aligned(std::size_t bytes, int alignment) {
        return alignment <= 0
                   ? nullptr
                   : memory::allocate_aligned(bytes, static_cast<std::size_t>(alignment));
    }
    /// A btFreeFunc and a btAlignedFreeFunc.
    static void deallocate(void* p) { memory::deallocate(p); }
};

} // namespace ARENITE_ABI
} // namespace arenite
