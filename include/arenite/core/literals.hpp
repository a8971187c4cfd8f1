// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>

#include <cstddef>

namespace arenite {
inline namespace ARENITE_ABI {

/// Sizes in binary units: 64_KiB, 2_MiB, 1_GiB. In scope with `using namespace arenite` or, alone,
/// with `using namespace arenite::literals`.
inline namespace literals {

consteval std::size_t operator""_B(unsigned long long count) {
    return static_cast<std::size_t>(count);
}

/// Not constexpr: a literal that reaches it does not compile, and the error names it.
void this_size_does_not_fit_std_size_t();

consteval std::size_t scaled_bytes(unsigned long long count, int shift) {
    if (count > (static_cast<unsigned long long>(~std::size_t{0}) >> shift))
        this_size_does_not_fit_std_size_t();
    return static_cast<std::size_t>(count << shift);
}

consteval std::size_t operator""_KiB(unsigned long long count) { return scaled_bytes(count, 10); }
consteval std::size_t operator""_MiB(unsigned long long count) { return scaled_bytes(count, 20); }
consteval std::size_t operator""_GiB(unsigned long long count) { return scaled_bytes(count, 30); }
consteval std::size_t operator""_TiB(unsigned long long count) { return scaled_bytes(count, 40); }

} // namespace literals

} // namespace ARENITE_ABI
} // namespace arenite
