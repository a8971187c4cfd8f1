// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../run/experiment.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace arenite::lab {

/// A figure that a seed document gives, or leaves out, and how the lab measures the same.
struct seed_row {
    /// Where a figure comes from.
    struct source {
        std::string workload;
        parameter_values values;
        std::string metric;
        std::string subject;
    };

    std::string document; ///< "seed 3, table 6.1"
    std::string row;      ///< as the document names it
    std::string quantity;
    std::optional<double> says; ///< nothing: the document's text gives no number
    source figure;
    std::optional<source> divided_by = {};
    double scale = 1; ///< of ours, to the document's unit

    /// A figure that is added so many times: a document may give a difference.
    std::vector<std::pair<double, source>> and_times = {};

    bool cold_only = false; ///< long work, which the document does once

    std::string why_not = {}; ///< what no machine like this can measure: then there is no figure
};

/// The sizes that workloads run at: tiny to try whether every row is filled, quick ones that take
/// minutes, or those that their seed has.
enum class seed_scale { tiny, quick, full };

/// All rows, in the order of the documents. A new table is a few lines in seeds.cpp.
[[nodiscard]] std::vector<seed_row> seed_rows(seed_scale scale);

/// The measurements of a row; cold and warm passes apart.
struct seed_result {
    seed_row row;
    std::optional<double> cold, warm;
    std::string why = {}; ///< there is neither
};

/// The workloads that seed_rows need, with the parameters and subjects they need; as often as the
/// request says, with one warm pass where it is tiny.
/// Rows whose subject this lab lacks stay without figures.
[[nodiscard]] std::vector<experiment>
seed_experiments(const catalogue& all, const std::vector<seed_row>& rows, const request& asked);

[[nodiscard]] std::vector<seed_result> seed_results(const std::vector<seed_row>& rows,
                                                    const std::vector<outcome>& outcomes);

/// The document's figure, the one measured here, the ratio; below it why figures are missing.
[[nodiscard]] std::string seed_table(const std::vector<seed_result>& results);

} // namespace arenite::lab
