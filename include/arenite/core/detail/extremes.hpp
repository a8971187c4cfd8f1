// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// std::min without <algorithm>, which costs a quarter of the time that <vector> and
/// <memory_resource> take to compile.
template <class T>
[[nodiscard]] constexpr const T& smaller(const T& a, const T& b) noexcept {
    return b < a ? b : a;
}

/// std::max, likewise.
template <class T>
[[nodiscard]] constexpr const T& larger(const T& a, const T& b) noexcept {
    return a < b ? b : a;
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
