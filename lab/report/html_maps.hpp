// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace arenite::lab {

/// Pictures of where the nodes of all experiments that have maps lie; empty where none has.
[[nodiscard]] std::string maps_section(const nlohmann::json& all);

} // namespace arenite::lab
