// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace arenite::lab {

/// Pictures of the offsets that a workload's subjects gave out, and of what moved between two
/// moments, of all that the maps of the results hold; empty where there are none.
[[nodiscard]] std::string ranges_of(const std::string& workload, const nlohmann::json& maps);

/// True for a map that is such a picture.
[[nodiscard]] bool is_range(const nlohmann::json& map);

} // namespace arenite::lab
