// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>

namespace arenite {
inline namespace ARENITE_ABI {
namespace drop_in {

/// The words of ARENITE_MALLOC in the environment, between commas:
///
///     report        totals on the standard error at the end of the process
///     leaks         and what is still allocated then, by size
///     map=FILE      all memory, region by region, to this file then; %p stands for the process
///     signal=12     and when the process gets this signal, at its next call of malloc or free
///     returns=off   nothing goes back before the end but by malloc_trim
struct options {
    bool report = false;
    bool leaks = false;
    bool returns = true;
    int signal = 0; ///< 0: none
    char map[1024] = "";
    char unknown[64] = ""; ///< the first word that is none of these
};

/// Reads the environment.
[[nodiscard]] options asked_options() noexcept;

/// True after a signal for which a map is wanted; write_asked_map() then writes it.
[[nodiscard]] bool is_map_asked() noexcept;
void write_asked_map() noexcept;

/// say() reaches the standard error of now, whatever the program does with it. A pipe stays open
/// until the process ends.
void keep_standard_error() noexcept;

/// To the standard error that was kept, at once and without memory. At most 500 characters.
[[gnu::format(printf, 1, 2)]] void say(const char* format, ...) noexcept;

} // namespace drop_in
} // namespace ARENITE_ABI
} // namespace arenite
