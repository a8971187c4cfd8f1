// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

// What the HTML report tells beside figures.
namespace arenite::lab {

[[nodiscard]] std::string machine_table(const nlohmann::json& m);
[[nodiscard]] std::string subject_table(const nlohmann::json& subjects);

/// What the seed documents say beside what was measured; empty where no seed was.
[[nodiscard]] std::string seeds_section(const nlohmann::json& results);

} // namespace arenite::lab
