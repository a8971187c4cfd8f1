// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>

#if defined(__clang__)
#define ARENITE_UNSEEN_BY_TSAN [[clang::no_sanitize("thread")]]
#elif defined(__GNUC__)
#define ARENITE_UNSEEN_BY_TSAN [[gnu::no_sanitize_thread]]
#else
#define ARENITE_UNSEEN_BY_TSAN
#endif

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// Reads a word that another thread may be changing: the value may be out of date.
///
/// A counter of a one-thread heap is an ordinary variable, since an atomic one, even a relaxed one,
/// costs the fast path a third of its time (compilers no longer inline it into recursions).
/// Formally this is a data race; for an aligned word every supported machine loads an old or a new
/// value. On 32-bit machines the two halves of a 64-bit value may be of different moments.
///
/// Cost:      a call and a load.
/// Threads:   any; the value implies no ordering.
template <class T>
    requires(sizeof(T) <= 8)
[[nodiscard]] ARENITE_NOINLINE ARENITE_UNSEEN_BY_TSAN T glance(const T& value) noexcept {
    return *const_cast<const volatile T*>(&value);
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
