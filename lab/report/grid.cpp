// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "grid.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace arenite::lab {

std::size_t grid::width_of(std::size_t column) const {
    std::size_t width = 0;
    for (const auto& row : rows_)
        if (column < row.size())
            for (const std::string& line : row[column])
                width = std::max(width, line.size());
    return width;
}

std::string grid::block(const std::vector<std::size_t>& columns) const {
    std::string out;
    for (std::size_t r = 0; r < rows_.size(); ++r) {
        const auto& row = rows_[r];
        std::size_t lines = 0;
        for (const std::size_t c : columns)
            if (c < row.size())
                lines = std::max(lines, row[c].size());
        std::size_t width = 0;
        for (std::size_t l = 0; l < lines; ++l) {
            std::string line;
            for (const std::size_t c : columns) {
                const std::string part = c < row.size() && l < row[c].size() ? row[c][l] : "";
                line += line.empty() && c == columns.front() ? "" : "  ";
                line += c < left_ ? fmt::format("{:<{}}", part, width_of(c))
                                  : fmt::format("{:>{}}", part, width_of(c));
            }
            width = line.size();
            line.erase(line.find_last_not_of(' ') + 1);
            out += line + "\n";
        }
        if (r == 0)
            out += std::string(width, '-') + "\n";
    }
    return out;
}

std::string grid::text(std::size_t width) const {
    if (rows_.empty())
        return {};
    std::string out;
    std::vector<std::size_t> columns{0};
    std::size_t used = width_of(0);
    for (std::size_t c = 1; c < rows_.front().size(); ++c) {
        const std::size_t more = 2 + width_of(c);
        if (used + more > width && columns.size() > 1) {
            out += block(columns) + "\n";
            columns = {0};
            used = width_of(0);
        }
        columns.push_back(c);
        used += more;
    }
    return out + block(columns);
}

std::size_t output_width() {
    winsize size{};
    if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 40)
        return size.ws_col;
    return 160;
}

} // namespace arenite::lab
