// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

namespace arenite::lab {

// A runner is a program that measures the subjects of one library: arenite-lab itself for ours and
// the C++ library's, arenite-lab-<library> for a peer's. It is started anew for each turn.

/// Arguments that a runner is started with, instead of a command of the user's.
inline constexpr std::string_view describe_command = "@describe";
inline constexpr std::string_view turn_command = "@turn";
inline constexpr std::string_view maps_command = "@maps";

/// True if the program was started as a runner.
[[nodiscard]] bool is_child(int argc, char** argv) noexcept;

/// @describe: prints the runner's subjects. @turn WORKLOAD SUBJECT WARM_PASSES [KEY=VALUE]...: runs
/// one turn and prints its figures. @maps, with the same words: runs one for its maps alone. Both
/// as JSON to the standard output; returns the exit code.
[[nodiscard]] int child_main(int argc, char** argv);

} // namespace arenite::lab
