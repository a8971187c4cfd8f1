// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace arenite::lab {

/// Reads of memory, and those that a simulated cache did not hold.
struct read_misses {
    std::uint64_t reads = 0, first_level = 0, last_level = 0;
};

/// Starts this program by cachegrind with a cache as an Intel Core i7-6700k has it (32 KiB of 8
/// ways, 8 MiB of 16, lines of 64 bytes), and sums up what it counts within functions whose names
/// hold `function`. Throws cannot_run where there is no valgrind.
[[nodiscard]] read_misses count_misses(const std::vector<std::string>& arguments,
                                       const std::string& function);

/// Accesses to data of a whole program, reads and writes, and those that a simulated cache did not
/// hold.
struct cache_misses_of {
    std::uint64_t accesses = 0, first_level = 0, last_level = 0;
};

/// The turn that this process was started for, again, by cachegrind as above: without warm passes
/// and with these values of parameters. Throws cannot_run likewise.
[[nodiscard]] cache_misses_of
count_misses_of_this_turn(const std::map<std::string, std::string>& values);

} // namespace arenite::lab
