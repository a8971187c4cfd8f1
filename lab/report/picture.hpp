// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

// Where the nodes of a scene lie after it has aged, ours beside malloc's: each dot is a node, from
// left to right in the order of the walk, the higher the higher its address.
namespace arenite::lab {

/// Two pictures with captions that say what they show, for the page. Empty where no node was
/// mapped.
[[nodiscard]] std::string pictures_of(const nlohmann::json& results);

/// A picture by itself, an .svg for light and dark; bad_request where no node was mapped.
[[nodiscard]] std::string picture_svg(const nlohmann::json& results);

} // namespace arenite::lab
