// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "html_summary.hpp"

#include "table.hpp"

#include <arenite/report/detail/text.hpp>

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>

namespace arenite::lab {
namespace {

using detail::report_text::xml;

constexpr std::size_t named = 3; // of the best and of the worst figures

bool is_time(const judged& j) {
    for (const char* const unit : {"ns", "us", "ms", "s"})
        if (j.unit == unit || j.unit.starts_with(std::string{unit} + " ") ||
            j.unit.starts_with(std::string{unit} + "/"))
            return true;
    return false;
}

bool is_memory(const judged& j) {
    return j.unit.find("byte") != std::string::npos || j.unit.find("iB") != std::string::npos ||
           j.unit == "B";
}

template <class Is>
std::string median_of(const char* what, const std::vector<judged>& all, Is is) {
    std::vector<double> ratios;
    for (const judged& j : all)
        if (is(j))
            ratios.push_back(j.ratio);
    if (ratios.empty())
        return {};
    const auto middle = ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2);
    std::nth_element(ratios.begin(), middle, ratios.end());
    return fmt::format("<li>{}: the median ratio of {} figures is {}x.</li>\n", what, ratios.size(),
                       short_number(*middle));
}

std::string furthest(const char* what, const std::vector<judged>& all, bool ahead) {
    std::vector<const judged*> some;
    for (const judged& j : all)
        if (!j.tie && (j.ratio < 1) == ahead)
            some.push_back(&j);
    std::stable_sort(some.begin(), some.end(), [&](const judged* a, const judged* b) {
        return ahead ? a->ratio < b->ratio : a->ratio > b->ratio;
    });
    if (some.empty())
        return {};
    std::string text;
    for (std::size_t i = 0; i < std::min(named, some.size()); ++i)
        text += fmt::format("{}{}, {}: {}x of {}", i == 0 ? "" : "; ", xml(some[i]->workload),
                            xml(readable(some[i]->metric)), short_number(some[i]->ratio),
                            xml(some[i]->theirs));
    return fmt::format("<li>Furthest {}: {}.</li>\n", what, text);
}

} // namespace

std::string readable(std::string metric) {
    std::replace(metric.begin(), metric.end(), '_', ' ');
    return metric;
}

std::string summary_of(const std::vector<judged>& all) {
    if (all.empty())
        return {};
    const auto ties = std::count_if(all.begin(), all.end(), [](const judged& j) { return j.tie; });
    const auto better = std::count_if(all.begin(), all.end(),
                                      [](const judged& j) { return !j.tie && j.ratio < 1; });
    return fmt::format("<ul>\n<li>Of {} figures <b>{} are better</b> than the fastest peer's, {} "
                       "are within the spread, <b>{} are worse</b>.</li>\n",
                       all.size(), better, ties,
                       static_cast<std::ptrdiff_t>(all.size()) - better - ties) +
           median_of("Times", all, is_time) + median_of("Memory", all, is_memory) +
           furthest("ahead", all, true) + furthest("behind", all, false) + "</ul>\n";
}

} // namespace arenite::lab
