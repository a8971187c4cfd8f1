// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace arenite::advisor {

/// Where the shell would find this program. Throws bad_input with a sentence where it cannot be
/// recorded: not found, not executable, set-uid, statically linked, with a sanitizer, for another
/// machine.
[[nodiscard]] std::string find_program_to_preload(const std::string& name);

/// A file of ours that is loaded or run: in the folder that ARENITE_LIBRARY_PATH names, beside this
/// program, or where it is installed. Throws bad_input.
[[nodiscard]] std::string own_library(const std::string& name);

/// The environment of a program, with these variables besides. A library is put before those that
/// LD_PRELOAD names already.
[[nodiscard]] std::vector<std::string>
environment_with(const std::vector<std::pair<std::string, std::string>>& variables,
                 const std::string& preloaded);

/// True if a program or library has this name among its dynamic symbols; `defined`: as its own, not
/// only as one that it takes from another.
[[nodiscard]] bool names_dynamic_symbol(const std::string& path, const char* wanted, bool defined);

/// True if Arenite is linked into a program, or is a library of its own that the program needs.
[[nodiscard]] bool has_arenite(const std::string& path);

/// The build-id of an object file, hexadecimal; empty where it has none.
[[nodiscard]] std::string build_id_of(const std::string& path);

/// The part behind the last slash.
[[nodiscard]] std::string base_name(const std::string& path);

/// A word as a shell takes it: between quotes where it has to be.
[[nodiscard]] std::string shell_word(const std::string& word);

/// 1,234,567
[[nodiscard]] std::string grouped(std::size_t number);
/// 12.3 MB, and so on.
[[nodiscard]] std::string bytes_text(double bytes);

} // namespace arenite::advisor
