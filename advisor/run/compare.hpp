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
    std::string library; ///< to be preloaded
    std::string found;   ///< the file that this means, and its version where it tells one
    std::vector<measured> runs;
    bool same_output = true; ///< and the same exit status, as with the C library's
};

struct comparison {
    std::vector<subject> subjects; ///< the C library's first, then ours
    bool output_is_steady = true;  ///< the C library's malloc gave the same output each time

    [[nodiscard]] const subject& ours() const { return subjects[1]; }
};

/// The mallocs that are compared, and how.
struct comparison_wishes {
    std::string library;           ///< ours
    std::string output;            ///< a file that the program writes; empty: none
    std::vector<std::string> also; ///< NAME=FILE: further mallocs, or others for those of a name
    unsigned rounds = 3;
};

/// Runs the program with each malloc that there is, in turns. What it writes to its standard
/// output, and to the file `output`, is compared; the first output is passed through. A program
/// that is linked with another malloc runs on the C library's there. Throws bad_input.
[[nodiscard]] comparison compare_mallocs(const start& program, const comparison_wishes& wishes);

/// A table of medians with their spread, and a sentence a figure: which is best, or that there is
/// no difference.
[[nodiscard]] std::string text_of(const comparison& c);

/// The version of mimalloc by its number: 209 is 2.0.9, 30600 is 3.6.0.
[[nodiscard]] std::string mimalloc_version(int number);

} // namespace arenite::advisor
