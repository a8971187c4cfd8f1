// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace arenite::lab {

/// Cells of one or more lines in columns as wide as they need to be; the first row is the heading.
class grid {
public:
    using cell = std::vector<std::string>;

    void add(std::vector<cell> cells) { rows_.push_back(std::move(cells)); }

    /// The first n columns are aligned left (1 without this), the others right.
    void left_columns(std::size_t n) { left_ = n; }

    /// In one block, or, where that is wider than `width`, in several below each other, each of
    /// which begins with the first column.
    [[nodiscard]] std::string text(std::size_t width = static_cast<std::size_t>(-1)) const;

private:
    [[nodiscard]] std::string block(const std::vector<std::size_t>& columns) const;
    [[nodiscard]] std::size_t width_of(std::size_t column) const;

    std::vector<std::vector<cell>> rows_;
    std::size_t left_ = 1;
};

/// Columns of the terminal that the standard output is; 160 where it is none.
[[nodiscard]] std::size_t output_width();

} // namespace arenite::lab
