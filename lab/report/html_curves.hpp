// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

// Plots over more than one experiment, or more than one metric: with the axes that a document has.
namespace arenite::lab {

/// Those of a workload: a card each, with a table; adds what they draw to `plots`. Empty where the
/// workload has none, or fewer than two places of an axis were measured.
[[nodiscard]] std::string curves_of(const std::string& workload, const nlohmann::json& results,
                                    nlohmann::json& plots, bool has_plots);

/// True for a metric that is a place on the axis of such a plot, and tells nothing by itself.
[[nodiscard]] bool is_drawn(const std::string& workload, const std::string& metric);

} // namespace arenite::lab
