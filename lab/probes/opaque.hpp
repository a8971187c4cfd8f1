// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

namespace arenite::lab {

/// The compiler must assume that somebody looks at p and at all memory it leads to: an allocation
/// whose pointer comes here cannot be removed, and no loop over it can be vectorised.
inline void opaque(const void* p) noexcept {
#if defined(__GNUC__) || defined(__clang__)
    asm volatile("" : : "r"(p) : "memory");
#else
    static const void* volatile kept;
    kept = p;
#endif
}

/// No access to memory is moved across this line by the compiler.
inline void barrier() noexcept {
#if defined(__GNUC__) || defined(__clang__)
    asm volatile("" : : : "memory");
#else
    opaque(nullptr);
#endif
}

} // namespace arenite::lab
