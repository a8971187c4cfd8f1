// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

namespace arenite::trace {

class writer;

struct pack_counts {
    std::uint64_t events = 0;
    bool keeps_addresses = false; ///< accesses were observed, and lie at them
    std::string damage;           ///< of the trace that was read; empty: none
};

/// Writes the trace at `path` again, smaller. In the place of an address stands the number of the
/// object's birth, times 16: then frees follow births in small steps, and most of what is stored is
/// how long objects lived. Where accesses were observed, addresses stay.
///
/// Memory:  that of the live objects, and of the tables.
/// Failure: bad_trace.
[[nodiscard]] pack_counts pack(const std::string& path, writer& to);

} // namespace arenite::trace
