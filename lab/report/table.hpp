// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../run/experiment.hpp"
#include "machine.hpp"

#include <string>

namespace arenite::lab {

/// The head of a report: the machine, and what each subject is.
[[nodiscard]] std::string describe(const machine& m);
[[nodiscard]] std::string describe(const std::vector<experiment>& experiments);

/// One table: a row a metric and state, a column a subject; the median, below it least and most;
/// ratios of ours to the best peer; then where ours is worse, and what failed.
[[nodiscard]] std::string table(const experiment& e, const outcome& measured);

} // namespace arenite::lab
