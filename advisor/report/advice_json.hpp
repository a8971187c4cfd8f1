// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../analysis/advise.hpp"

#include <string>

namespace arenite::advisor {

/// The answer for programs: doc/advisor.md has its members. "schema" is 1; members are only added.
[[nodiscard]] std::string advice_as_json(const advice_report& r);

} // namespace arenite::advisor
