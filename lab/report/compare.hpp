// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../run/experiment.hpp"

#include <optional>
#include <string>
#include <vector>

namespace arenite::lab {

/// What one subject's figure is beside another's.
struct comparison {
    double ratio; ///< ours / theirs, of the medians; below 1 ours is better
    /// One median lies between the smallest and the largest figure of the other: no difference is
    /// shown.
    bool tie;
    std::string theirs; ///< the subject
};

[[nodiscard]] comparison compare(const result& ours, const result& theirs);

/// The results of one metric and state: a row of a table.
struct row {
    std::string metric, unit, state;
    bool compared;
    std::vector<const result*> results;

    /// nullptr where the subject has none.
    [[nodiscard]] const result* of(const std::string& subject) const;
};

[[nodiscard]] std::vector<row> rows_of(const outcome& measured);

/// "mimalloc-4k" and "mimalloc-thp" are "mimalloc", run otherwise.
[[nodiscard]] bool is_or_twin_of(const std::string& subject, const std::string& base);

/// "arenite.ordered.retain" and "mimalloc-retain" are "arenite.ordered" and "mimalloc", told to
/// keep what is empty.
[[nodiscard]] bool is_retaining_twin_of(const std::string& subject, const std::string& base);
[[nodiscard]] bool retains(const std::string& subject);

/// Which of the subjects a ratio is made of. What keeps all that is empty is compared with its like
/// alone.
enum class pairing {
    defaults,    ///< ours as it comes, the peer's faster twin
    huge_pages,  ///< both started with huge pages
    small_pages, ///< both started with pages of 4 KiB
    retaining    ///< both told to keep what is empty
};

/// Ours against the fastest of those it is compared with. Nothing where one is missing.
[[nodiscard]] std::optional<comparison> against_fastest(const row& r, const experiment& e,
                                                        pairing p = pairing::defaults);

} // namespace arenite::lab
