// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace arenite::advisor {

struct record_options {
    std::string trace = "arenite.trace";
    unsigned frames = 8;
    unsigned stack_percent = 25; ///< of CPU time that stacks may take with so many frames; 0: any
    bool children = false, keep_command = false, anonymous = false;
    double seconds = 0;             ///< 0: to the end
    unsigned accesses_ms = 4;       ///< of CPU time between looks at what is touched; 0: none
    unsigned accesses_percent = 20; ///< of its CPU time that bursts may add
};

/// How a program ended, and its costs.
struct plain_run {
    int exit_code = 0; ///< of the program; 128 + the signal that ended it
    double cpu_seconds = 0, elapsed_seconds = 0;
    std::uint64_t peak_resident_bytes = 0;
};

/// Where a program gets memory that is not seen, as far as its file tells.
enum class own_heap {
    none,
    malloc,  ///< one of its own
    arenite, ///< its heaps
};

/// How a recording ended.
struct recorded : plain_run {
    bool still_runs = false;
    std::uint64_t events = 0, threads = 0, file_bytes = 0;
    std::uint64_t checked = 0, differing = 0, lost = 0, unwound_slowly = 0;
    unsigned frames_at_end = 0; ///< of a stack: fewer where they took too long
    unsigned others = 0;        ///< processes that were not recorded
    std::string unobserved;     ///< why its accesses were not; empty: they were, or not asked for
    std::string failed;         ///< why the trace is not whole; empty: it is
    std::string ended_early;    ///< why the program was not recorded to its end; empty: it was
    own_heap unseen = own_heap::none;
    std::vector<std::string> traces;
};

/// Runs a program and records it. Throws bad_input where it cannot be run.
[[nodiscard]] recorded record_program(const std::vector<std::string>& program,
                                      const record_options& options);

/// A sentence on what the program asks of others than malloc; empty: nothing is known.
[[nodiscard]] std::string unseen_text(const recorded& r);

/// Runs a program as it is.
[[nodiscard]] plain_run
run_plainly(const std::vector<std::string>& program, const std::string& preloaded = {},
            const std::vector<std::pair<std::string, std::string>>& variables = {});

} // namespace arenite::advisor
