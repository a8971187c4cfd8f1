// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdio>
#include <string>
#include <sys/wait.h>

namespace arenite::advisor {

struct finished {
    int code;         ///< its exit code, or 128 + the signal that ended it
    std::string text; ///< what it wrote, errors too
};

/// Runs a line of the shell; `$A` in it is the program `arenite`.
inline finished shell(const std::string& line) {
    const std::string whole = std::string{"A="} + ARENITE_PROGRAM + "; exec 2>&1; " + line;
    std::FILE* pipe = ::popen(whole.c_str(), "r");
    std::string text;
    std::array<char, 4096> part;
    while (const std::size_t n = std::fread(part.data(), 1, part.size(), pipe))
        text.append(part.data(), n);
    const int status = ::pclose(pipe);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), text};
}

} // namespace arenite::advisor
