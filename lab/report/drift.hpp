// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace arenite::lab {

/// The changes between two runs of the same work, as `--json` wrote them: how many of Arenite's
/// figures are better and worse beyond the spread, each of these; and the median change of all
/// others, which shows whether the machine was the same. bad_request where they share no figure.
[[nodiscard]] std::string drift_of(const nlohmann::json& before, const nlohmann::json& after);

} // namespace arenite::lab
