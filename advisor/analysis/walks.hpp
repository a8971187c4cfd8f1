// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include "profile.hpp"
#include "sites.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
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

} // namespace arenite::advisor
