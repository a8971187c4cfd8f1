// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace arenite::advisor {

class arguments;

/// One thing that the program can do: `arenite NAME ...`. A verb has a file of its own in verbs/,
/// and its line in verbs.cpp.
struct verb {
    std::string_view name;
    std::string_view purpose; ///< one line of `arenite help`
    int (*run)(arguments&);   ///< gives the exit code; throws bad_input
};

/// All of them, in the order in which the help lists them.
[[nodiscard]] std::span<const verb* const> all_verbs() noexcept;

/// The verb of this name; throws bad_input, which names the most similar one.
[[nodiscard]] const verb& find_verb(std::string_view name);

/// The one of these words that is spelled most like `word`; empty where none is near.
[[nodiscard]] std::string_view most_similar(std::string_view word,
                                            std::span<const std::string_view> words);

/// A request that cannot be carried out: its sentence is printed, the exit code is 2.
struct bad_input : std::runtime_error {
    using std::runtime_error::runtime_error;
};

constexpr int exit_bad_input = 2;

} // namespace arenite::advisor
