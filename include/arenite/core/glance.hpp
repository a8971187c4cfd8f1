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

/// A look at a word that another thread may be changing at this moment: what it was a moment ago.
///
/// A counter of a one-thread heap is an ordinary variable, since an atomic one, even a relaxed one,
/// costs the fast path a third of its time (compilers no longer inline it into recursions). The
/// language calls this a race; of an aligned word every machine loads one of its values. Where a
/// word has 32 bits, the halves of a value of 64 may be of two moments.
///
/// Cost:      a call and a load.
/// Threads:   any; the value orders nothing.
template <class T>
    requires(sizeof(T) <= 8)
[[nodiscard]] ARENITE_NOINLINE ARENITE_UNSEEN_BY_TSAN T glance(const T& value) noexcept {
    return *const_cast<const volatile T*>(&value);
}

} // namespace ARENITE_ABI
} // namespace arenite
