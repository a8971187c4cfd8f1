// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace arenite::advisor {

/// How a program is started.
struct start {
    std::string path;
    std::vector<std::string> words; ///< its own name first
    std::vector<std::string> environment;
    std::string output; ///< what it writes to its standard output goes to this file; empty: as here
    bool reads_no_terminal = false; ///< in its place standard input is empty
};

/// The costs of one run of a program, with the processes that it waited for.
struct measured {
    int status = 0; ///< as of waitpid
    int process = 0;
    double wall_seconds = 0;
    double cpu_seconds = 0;
    double peak_bytes = 0;
    double final_bytes = 0; ///< resident when it was last looked at; 0: it ended too early for that
    double faults = 0;

    /// The shell's: 128 and the signal's number where one killed it.
    [[nodiscard]] int exit_code() const noexcept;
};

/// Touches and frees memory, in huge pages where there are such, so that the machine below (a
/// virtual one has another below it) has given it out before anything is measured: else the first
/// to ask for it pays milliseconds for each huge page, and those that follow do not. A process of
/// its own does it, which the system ends first where there is not so much memory, if it does not
/// end a whole group at once.
void warm_machine(std::size_t bytes) noexcept;
/// For a program that had so much resident at most: half as much again, up to 1 GiB; 256 MiB where
/// that is 0, not known yet.
void warm_machine_for(double most_resident_bytes) noexcept;

/// Runs it to its end; signals that end this process are passed on. Throws bad_input where it
/// cannot be started.
[[nodiscard]] measured run_to_its_end(const start& s);

} // namespace arenite::advisor
