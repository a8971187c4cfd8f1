// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include "compare.hpp"

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace arenite::lab {

/// The subject of a figure: the bars of the report.
enum class topic { walk, create, destroy, memory, threads, programs, other };

/// One of our figures beside the best of all peers that were measured with it. Every verdict of
/// the page, of the terminal and of the documents is one of these, or a median of them.
struct verdict {
    std::string workload;
    std::string parameters; ///< in words
    std::string metric, unit, state;
    topic about;
    double ours, peer; ///< the medians
    comparison beside;

    [[nodiscard]] bool is_better() const noexcept { return !beside.tie && beside.ratio < 1; }
    [[nodiscard]] bool is_worse() const noexcept { return !beside.tie && beside.ratio > 1; }
};

/// The verdicts on all results as `--json` writes them: of each metric the warm state, or the cold
/// one where there is no other.
[[nodiscard]] std::vector<verdict> verdicts_of(const nlohmann::json& results);

/// The verdicts on one topic.
struct topic_summary {
    topic about;
    std::string name; ///< "walk after churn"
    std::size_t better = 0, worse = 0, ties = 0;
    double ratio = 0;            ///< the median
    std::string best_peers = {}; ///< "jemalloc 3, mimalloc 2": which is the best how often
};

/// The six topics that have verdicts, in their order.
[[nodiscard]] std::vector<topic_summary> topics_of(const std::vector<verdict>& all);

/// Five sentences: how many figures are better, within the spread and worse; the median ratios of
/// times and memory; where ours is furthest ahead; where furthest behind; which peer is the best
/// how often. Fewer where there is nothing to tell; none without verdicts.
[[nodiscard]] std::vector<std::string> lines_of(const std::vector<verdict>& all);

/// "page_faults" is "page faults".
[[nodiscard]] std::string readable(std::string metric);

/// The values of an experiment's parameters, in words.
[[nodiscard]] std::string title_of(const nlohmann::json& parameters);

} // namespace arenite::lab
