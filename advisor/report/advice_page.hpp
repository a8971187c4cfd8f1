// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../analysis/advise.hpp"

#include <string>

namespace arenite::advisor {

/// The answer as a page that needs nothing else. Plots are there where Chart.js was found when this
/// program was built; tables always.
[[nodiscard]] std::string advice_as_page(const advice_report& r, const std::string& trace);

} // namespace arenite::advisor
