// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>

#include <atomic>

// To ThreadSanitizer such a read would be a race: it stands in a function that is not looked at.
#if !ARENITE_HAS_TSAN
#define ARENITE_GLANCE ARENITE_INLINE
#elif defined(__clang__)
#define ARENITE_GLANCE ARENITE_NOINLINE [[clang::no_sanitize("thread")]]
#else
#define ARENITE_GLANCE ARENITE_NOINLINE [[gnu::no_sanitize_thread]]
#endif

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

// Atomic loads and stores of an otherwise ordinary variable: std::atomic_ref, which libc++ has from
// version 19 on.

/// Loads a variable that another thread may be storing to.
template <class T>
[[nodiscard]] ARENITE_INLINE T atomic_load(const T& from, std::memory_order order) noexcept {
#if defined(__cpp_lib_atomic_ref)
    return std::atomic_ref<T>{const_cast<T&>(from)}.load(order);
#else
    return __atomic_load_n(&from, static_cast<int>(order));
#endif
}

/// Stores to a variable that another thread may be loading.
template <class T>
ARENITE_INLINE void atomic_store(T& to, T value, std::memory_order order) noexcept {
#if defined(__cpp_lib_atomic_ref)
    std::atomic_ref<T>{to}.store(value, order);
#else
    __atomic_store_n(&to, value, static_cast<int>(order));
#endif
}

/// Reads a word that another thread may be changing: the value may be out of date.
///
/// A counter of a one-thread heap is an ordinary variable, since an atomic one, even a relaxed one,
/// costs the fast path a third of its time (compilers no longer inline it into recursions).
/// Formally this is a data race; for an aligned word every supported machine loads an old or a new
/// value. On 32-bit machines the two halves of a 64-bit value may be of different moments.
///
/// Cost:      a load.
/// Threads:   any; the value implies no ordering.
template <class T>
    requires(sizeof(T) <= 8)
[[nodiscard]] ARENITE_GLANCE T glance(const T& value) noexcept {
    return *const_cast<const volatile T*>(&value);
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
