// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "nearest.hpp"

#include <algorithm>
#include <cstddef>

namespace arenite::lab {
namespace {

/// Letters to insert, remove, replace or swap with their neighbour.
std::size_t distance(const std::string& a, const std::string& b) {
    std::vector<std::size_t> before_last, last(b.size() + 1), row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j)
        last[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            row[j] = std::min(
                {last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = std::min(row[j], before_last[j - 2] + 1);
        }
        before_last = last;
        last = row;
    }
    return last[b.size()];
}

} // namespace

std::string nearest(const std::string& word, const std::vector<std::string>& names) {
    std::string best;
    std::size_t least = std::max<std::size_t>(2, word.size() / 3) + 1;
    for (const std::string& name : names) {
        const std::size_t slash = name.rfind('/'); // "pair" for "order/pair"
        const std::size_t whole = distance(word, name);
        const std::size_t d = slash == std::string::npos
                                  ? whole
                                  : std::min(whole, distance(word, name.substr(slash + 1)));
        if (d < least) {
            least = d;
            best = name;
        }
    }
    return best;
}

std::string did_you_mean(const std::string& word, const std::vector<std::string>& names) {
    const std::string name = nearest(word, names);
    return name.empty() ? name : "; did you mean '" + name + "'?";
}

} // namespace arenite::lab
