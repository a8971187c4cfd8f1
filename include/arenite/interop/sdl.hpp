// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/affinity/affinity.hpp>
#include <arenite/core/config.hpp>
#include <arenite/interop/malloc_like.hpp>

#include <string_view>

namespace arenite {
inline namespace ARENITE_ABI {

namespace affinities {
struct sdl final {
    static constexpr std::string_view name = "SDL";
};
} // namespace affinities

/// SDL's memory in an affinity of its own.
///
///     using memory = arenite::sdl_memory<>;
///     SDL_SetMemoryFunctions(&memory::allocate, &memory::allocate_zeroed, &memory::reallocate,
///                            &memory::deallocate); // before SDL_Init
///
/// Use when:  a program uses SDL 2 or 3, and its memory should be measured.
/// Cost:      malloc_like's.
/// Limits:    everything that SDL allocated before must have been freed: SDL_GetNumAllocations() is
///            0.
/// Threads:   any.
/// Failure:   nullptr: SDL sets its error "Out of memory".
template <AffinityTag A = affinities::sdl>
using sdl_memory = malloc_like<A>;

} // namespace ARENITE_ABI
} // namespace arenite
