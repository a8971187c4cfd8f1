// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace arenite::lab {

/// The machine and its settings, on which figures depend besides the code.
struct machine {
    std::string processor;
    unsigned cores = 0;
    std::size_t memory_bytes = 0;
    std::string system; ///< distribution
    std::string kernel;
    std::string huge_pages; ///< the system's setting: always, madvise, never
    std::size_t page_bytes = 0;
    std::string compiler;
    std::string flags;
    std::string standard_library;
    std::string c_library;
    std::string arenite; ///< version, and the commit where the sources are at hand
    std::string tick_source;
    double ticks_per_ns = 0;
    std::vector<std::string> warnings; ///< why figures of this build or machine mean little
};

[[nodiscard]] machine describe_machine();

} // namespace arenite::lab
