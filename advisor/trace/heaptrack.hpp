// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

namespace arenite::trace {

class writer;

/// The counts of a heaptrack recording that was read.
struct heaptrack_counts {
    std::uint64_t allocations = 0, frees = 0;
    std::string program;
    bool is_torn = false; ///< it ends within a line, which is left out
};

/// Reads what `heaptrack --raw` wrote, also as it was compressed by zstd, and writes it as a trace.
/// It knows neither threads nor alignments nor by which function memory was asked for: all are of
/// one thread, and malloc's.
///
/// `build_id` is asked for that of a file, as heaptrack tells none: names are those of the programs
/// and libraries that lie there now.
///
/// Memory:  the call stacks, and a few MiB.
/// Failure: bad_trace, with a sentence that names the line.
[[nodiscard]] heaptrack_counts import_heaptrack(const std::string& path, writer& to,
                                                std::string (*build_id)(const std::string&));

} // namespace arenite::trace
