// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>

#include <charconv>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <system_error>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// The number that a variable of the environment holds, in decimal digits; 0 where it is not set or
/// empty. Anything else, as "512K", is said to standard error and taken as 0. Any thread; allocates
/// nothing.
inline std::size_t number_in_environment(const char* name) noexcept {
    const char* const text = std::getenv(name);
    if (text == nullptr || *text == '\0')
        return 0;
    const std::string_view digits{text};
    std::size_t number = 0;
    const char* const end = digits.data() + digits.size();
    const auto [read_to, failed] = std::from_chars(digits.data(), end, number);
    if (failed == std::errc{} && read_to == end)
        return number;
    std::fprintf(stderr, "arenite: %s=%.40s is no whole number that fits here; taken as 0\n", name,
                 text);
    return 0;
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
