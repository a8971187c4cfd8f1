// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../analysis/profile.hpp"
#include "../record/symbols.hpp"
#include "../trace/tables.hpp"
#include "timeline.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace arenite::advisor {

/// A line for each call stack, outermost function first, and the bytes that it had alive when the
/// program's were most: for flame graphs.
[[nodiscard]] std::string as_collapsed(const profile& p, const trace::tables& known,
                                       symbols& names);

/// For `go tool pprof`: allocations, their bytes, and bytes at the peak.
[[nodiscard]] std::string as_pprof(const profile& p, const trace::tables& known, symbols& names);

/// For ui.perfetto.dev: bytes alive over time by call site, and the marks (time in ns, number).
[[nodiscard]] std::string
as_perfetto(const timeline& t, const std::string& program,
            const std::vector<std::pair<std::uint64_t, std::uint64_t>>& marks);

} // namespace arenite::advisor
