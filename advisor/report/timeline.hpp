// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../analysis/sites.hpp"
#include "../trace/reader.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace arenite::advisor {

/// The data of the pictures of a report, gathered in one pass; its size does not depend on the
/// trace's.
struct timeline {
    static constexpr std::size_t steps = 200, named_sites = 8;
    static constexpr std::size_t most_marks = 400;
    static constexpr std::size_t size_rows = 24, life_columns = 28; ///< by log2

    std::vector<std::string> names;        ///< the largest sites, and "others"
    std::vector<std::vector<double>> live; ///< bytes, by site and step
    std::vector<double> at;                ///< seconds since the start, by step
    /// The program's marks, in steps, such as 1.5; of more than most_marks every n-th.
    std::vector<double> marks;
    std::uint64_t mark_count = 0;
    std::array<std::array<double, life_columns>, size_rows> lives{}; ///< allocations
};

[[nodiscard]] timeline timeline_of(trace::source& from, const std::vector<site>& sites,
                                   std::uint64_t events);

} // namespace arenite::advisor
