// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace arenite::lab {

/// One of our figures beside the fastest peer's.
struct judged {
    std::string workload, metric, unit;
    std::string theirs; ///< the peer
    double ratio;       ///< ours / theirs; below 1 ours is better
    bool tie;           ///< no difference is shown
};

/// "page_faults" is "page faults".
[[nodiscard]] std::string readable(std::string metric);

/// Five lines of a page: how many figures are better and worse, the median ratio of times and of
/// memory, and where ours is furthest ahead and furthest behind. Empty where there are no figures.
[[nodiscard]] std::string summary_of(const std::vector<judged>& all);

} // namespace arenite::lab
