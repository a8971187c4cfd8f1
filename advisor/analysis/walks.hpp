// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include "profile.hpp"
#include "sites.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace arenite::advisor {

/// Observations of a call site's objects.
struct site_walks {
    std::uint64_t samples = 0;
    walked within;                      ///< from each to the next one of this site
    std::map<std::size_t, walked> next; ///< to the one that was used next, by its site
};

/// By site, in the order of these.
[[nodiscard]] std::vector<site_walks> walks_of(const profile& p, const std::vector<site>& sites);

/// Samples of a phase of the program, which it marked the ends of: marks are numbered from 1, and
/// the phase lies behind the one before first_mark. The last may lie behind all marks.
struct site_phase {
    std::uint64_t first_mark = 1, last_mark = 1;
    std::uint64_t samples = 0, samples_in_objects = 0;
    std::vector<std::pair<std::size_t, std::uint64_t>> by_site; ///< most samples first
};

/// Empty where there are no marks or no samples.
[[nodiscard]] std::vector<site_phase> phases_of(const profile& p, const std::vector<site>& sites);

} // namespace arenite::advisor
