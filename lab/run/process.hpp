// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace arenite::lab {

struct finished_process {
    bool ok;            ///< ended by itself with exit code 0
    std::string output; ///< its standard output
    std::string errors; ///< its standard error, and how it ended where that was not well
};

/// Starts a program, waits for its end. Its environment is ours without what steers an allocator,
/// and with `environment`.
[[nodiscard]] finished_process
run_process(const std::filesystem::path& program, const std::vector<std::string>& arguments,
            const std::vector<std::pair<std::string, std::string>>& environment = {});

/// This program's own file.
[[nodiscard]] std::filesystem::path own_program();

/// Touches and frees memory in huge pages, so that the machine below (a virtual one has another
/// below it) has given it out before anything is measured. At most half of what is available.
void warm_machine(std::size_t bytes);

} // namespace arenite::lab
