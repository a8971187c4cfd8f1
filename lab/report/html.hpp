// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace arenite::lab {

/// A page of what results_json tells: self-contained, for phones and desktops, light and dark. Each
/// workload has a section: what it shows, a plot and a table of each metric, and the maps of where
/// memory lay. Plots are Chart.js, put in from where the system has it installed; without it the
/// page has its tables and says why. Throws bad_request where the results are not as results_json
/// makes them.
[[nodiscard]] std::string html_report(const nlohmann::json& results);

} // namespace arenite::lab
