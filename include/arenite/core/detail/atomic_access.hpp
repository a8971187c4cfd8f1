// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>

#include <atomic>

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

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
