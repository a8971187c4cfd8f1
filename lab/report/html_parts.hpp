// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

// What several parts of the HTML report write alike.
namespace arenite::lab {

/// The family that a subject belongs to has one colour, on light and on dark: those of Okabe and
/// Ito, which colour-blind people tell apart, adapted to each ground.
struct colours {
    const char *light, *dark;
};
[[nodiscard]] colours colours_of(std::string_view subject);

/// A square in the colour of a subject.
[[nodiscard]] std::string dot(const std::string& subject);

/// The values of an experiment's parameters, in words.
[[nodiscard]] std::string title_of(const nlohmann::json& parameters);

} // namespace arenite::lab
