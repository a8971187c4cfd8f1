// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include "measure.hpp"

#include <string>
#include <vector>

namespace arenite::advisor {

/// One malloc under a program.
struct subject {
    std::string name;
    std::string library; ///< to be preloaded; empty: the C library's own
    std::vector<measured> runs;
    bool same_output = true; ///< and the same exit status, as with the C library's
};

struct comparison {
    std::vector<subject> subjects; ///< the C library's first, then ours
    bool output_is_steady = true;  ///< the C library's malloc gave the same output each time

    [[nodiscard]] const subject& ours() const { return subjects[1]; }
};

/// Runs the program with each malloc that there is, in turns. What it writes to its standard
/// output, and to the file `output` unless that is empty, is compared; the first output is passed
/// through. Throws bad_input.
[[nodiscard]] comparison compare_mallocs(const start& program, const std::string& library,
                                         const std::string& output, unsigned rounds);

/// A table of medians with their spread, and a sentence a figure: which is best, or that there is
/// no difference.
[[nodiscard]] std::string text_of(const comparison& c);

} // namespace arenite::advisor
