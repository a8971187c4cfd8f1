// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../run/experiment.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace arenite::lab {

/// The median of all turns, and their smallest and largest value.
struct figure {
    double median, least, most;
};

/// One subject's figure beside another's.
struct comparison {
    double ratio; ///< ours / theirs, of the medians; below 1 ours is better
    /// One median lies between the smallest and the largest figure of the other: no difference is
    /// shown.
    bool tie;
    std::string theirs; ///< the subject
};

/// The least of a figure that a person would feel, in its unit; 0 for times. A page fault takes
/// about a microsecond: one in a thousand events is a nanosecond an event.
[[nodiscard]] double felt_from(std::string_view unit);

/// A figure below what a person would feel counts as that much. Nothing where both figures do, or
/// where theirs is 0: then there is no ratio.
[[nodiscard]] std::optional<comparison> compare(const figure& ours, const figure& theirs,
                                                std::string subject, std::string_view unit);

/// Not one of Arenite's, and no floor.
[[nodiscard]] bool is_peer(const std::string& subject, bool is_floor);

/// The results of one metric and state: a row of a table.
struct row {
    std::string metric, unit, state;
    bool compared;
    std::vector<const result*> results;

    /// nullptr where the subject has none.
    [[nodiscard]] const result* of(const std::string& subject) const;
};

[[nodiscard]] std::vector<row> rows_of(const outcome& measured);

[[nodiscard]] figure figure_of(const result& r);

/// True for a subject that was told to keep what is empty: "mimalloc-retain".
[[nodiscard]] bool retains(const std::string& subject);

/// Which of the subjects a ratio is made of.
enum class pairing {
    defaults,    ///< ours as it comes, and the best of all peers, however they were started
    huge_pages,  ///< both started with huge pages, and neither told to keep what is empty
    small_pages, ///< both started with pages of 4 KiB, and neither told to keep what is empty
    retaining    ///< both told to keep what is empty
};

/// Ours against the best of its peers. Nothing where one is missing.
[[nodiscard]] std::optional<comparison> against_best(const row& r, const experiment& e,
                                                     pairing p = pairing::defaults);

/// Three digits, and never a 0 that is none: 0.0123 is 0.012, 0.000123 is 0.00012.
[[nodiscard]] std::string short_number(double value);

/// "0.06x", "1.4x", "23x"; "<0.01x" for less, ">100x" for more.
[[nodiscard]] std::string ratio_text(double ratio);

} // namespace arenite::lab
