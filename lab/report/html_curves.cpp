// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "html_curves.hpp"

#include "html_parts.hpp"
#include "table.hpp"

#include <arenite/report/detail/text.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace arenite::lab {
namespace {

using detail::report_text::xml;
using nlohmann::json;

/// What a plot shows, and of what.
struct curve {
    std::string_view workload, title, x_title;

    /// Along the axis: the metrics `metric`* whose names end in `ending` (2^10, 2^11, ...), or,
    /// where there is an `x`, the values of this parameter, for the metric of that very name.
    std::string_view metric, ending = {}, x = {};

    std::string_view series = {}; ///< the parameter that tells lines apart; empty: the subjects
    bool logarithmic = false;
    bool bars = false;
    bool alone = false; ///< the metrics have no plots of their own

    /// Two values of `series`: their quotient is the only line.
    std::string_view dividend = {}, divisor = {};
};

constexpr curve curves[]{
    {.workload = "cache/list",
     .title = "following a list (seed 3, figures 3.5 and 3.6)",
     .x_title = "working set, bytes",
     .metric = "2^",
     .series = "pad",
     .logarithmic = true,
     .alone = true},
    {.workload = "cache/matrix",
     .title = "multiplying matrices (seed 3, figure 3.9)",
     .x_title = "rows",
     .metric = "multiply_ticks",
     .x = "rows",
     .series = "form",
     .logarithmic = true},
    {.workload = "cache/matrix",
     .title = "naive / transposed (seed 3, figure 3.10)",
     .x_title = "rows",
     .metric = "multiply_ticks",
     .x = "rows",
     .series = "form",
     .dividend = "naive",
     .divisor = "transposed"},
    {.workload = "memory/vectors",
     .title = "building vectors as they are written (seed 3, figure 2.2)",
     .x_title = "what the vector holds",
     .metric = "build_as_written",
     .x = "form",
     .bars = true},
    {.workload = "soa/particles",
     .title = "updating two members of many (seed 3, figure 6.9)",
     .x_title = "layout",
     .metric = "update",
     .x = "form",
     .bars = true},
    {.workload = "freelist/thesis",
     .title = "allocating, and freeing (seed 3, figure 6.6)",
     .x_title = "objects",
     .metric = "operations",
     .x = "count",
     .logarithmic = true},
    {.workload = "latency/heap",
     .title = "an allocation, by percentile",
     .x_title = "percentile",
     .metric = "allocate_",
     .ending = "%",
     .logarithmic = true},
    {.workload = "latency/heap",
     .title = "a free, by percentile",
     .x_title = "percentile",
     .metric = "free_",
     .ending = "%",
     .logarithmic = true},
    {.workload = "memory/fragmentation",
     .title = "resident over live, as objects are replaced",
     .x_title = "replacements, of all objects",
     .metric = "resident_at_",
     .alone = true},
    {.workload = "offset/defragment",
     .title = "planning a pass: the longest of each twentieth of all passes",
     .x_title = "passes made, % of the subject's own",
     .metric = "pass_at_",
     .logarithmic = true,
     .alone = true},
    {.workload = "handle/frames",
     .title = "walking the scene, as its parts come and go",
     .x_title = "frame",
     .metric = "walk_at_",
     .alone = true},
    {.workload = "handle/frames",
     .title = "resident over live, as parts come and go",
     .x_title = "frame",
     .metric = "resident_at_",
     .alone = true},
};

/// A set of axes: what was measured with the same other parameters.
struct axes {
    std::string title, unit;
    std::vector<std::string> places, names;                       ///< along the axis; of the lines
    std::map<std::pair<std::string, std::string>, double> values; ///< by name and place

    void add(const std::string& name, const std::string& place, double value) {
        const auto once = [](std::vector<std::string>& all, const std::string& one) {
            if (std::find(all.begin(), all.end(), one) == all.end())
                all.push_back(one);
        };
        once(names, name);
        once(places, place);
        values[{name, place}] = value;
    }
    [[nodiscard]] std::optional<double> at(const std::string& name,
                                           const std::string& place) const {
        const auto found = values.find({name, place});
        return found == values.end() ? std::nullopt : std::optional{found->second};
    }
};

std::string text_of(const json& value) {
    return value.is_string() ? value.get<std::string>() : value.dump();
}

/// Where a result stands along the axis; nothing for one that does not.
std::optional<std::string> place_of(const curve& c, const json& result) {
    const std::string metric = result.at("metric");
    if (!c.x.empty())
        return metric == c.metric && result.at("parameters").contains(c.x)
                   ? std::optional{text_of(result.at("parameters").at(std::string{c.x}))}
                   : std::nullopt;
    if (!metric.starts_with(c.metric) || !metric.ends_with(c.ending))
        return std::nullopt;
    return c.metric == "2^" ? metric : metric.substr(c.metric.size());
}

/// Whether both are numbers, these by size; names stay as they were measured.
void sort_places(std::vector<std::string>& places) {
    const auto number = [](const std::string& text) {
        const std::string digits = text.starts_with("2^") ? text.substr(2) : text;
        char* end = nullptr;
        const double value = std::strtod(digits.c_str(), &end);
        return end == digits.c_str() ? std::nullopt : std::optional{value};
    };
    if (std::all_of(places.begin(), places.end(), [&](const auto& p) { return number(p); }))
        std::stable_sort(places.begin(), places.end(),
                         [&](const auto& a, const auto& b) { return *number(a) < *number(b); });
}

/// The main state of each, all sets of axes apart.
std::vector<axes> axes_of(const curve& c, const json& results) {
    std::vector<axes> all;
    for (const char* state : {"cold", "warm"}) { // warm ones replace cold ones
        for (const json& r : results) {
            if (r.at("workload") != c.workload || r.at("state") != state)
                continue;
            const auto place = place_of(c, r);
            if (!place)
                continue;
            json others = r.at("parameters");
            others.erase(std::string{c.x});
            std::string name = r.at("subject");
            std::string title = title_of(others);
            if (!c.series.empty()) {
                others.erase(std::string{c.series});
                title = title_of(others);
                title += (title.empty() ? "" : ", ") + name;
                name = std::string{c.series} + " = " +
                       text_of(r.at("parameters").at(std::string{c.series}));
            }
            auto found = std::find_if(all.begin(), all.end(),
                                      [&](const axes& known) { return known.title == title; });
            if (found == all.end())
                found = all.insert(all.end(), axes{title, r.at("unit"), {}, {}, {}});
            found->add(name, *place, r.at("median"));
        }
    }
    for (axes& one : all)
        sort_places(one.places);
    return all;
}

/// One line, the quotient of two.
axes quotient(const curve& c, const axes& of) {
    const auto name = [&](std::string_view value) {
        return std::string{c.series} + " = " + std::string{value};
    };
    axes result{of.title, "times", {}, {}, {}};
    for (const std::string& place : of.places) {
        const auto a = of.at(name(c.dividend), place), b = of.at(name(c.divisor), place);
        if (a && b && *b > 0)
            result.add(std::string{c.dividend} + " / " + std::string{c.divisor}, place, *a / *b);
    }
    return result;
}

/// Lines of one plot must be told apart: a subject's own colour, dashed for each further one of its
/// family; values of a parameter in the colours of as many families.
struct looks {
    colours colour;
    std::vector<int> dash;
};
std::vector<looks> looks_of(const curve& c, const axes& a) {
    constexpr std::string_view in_turn[]{"arenite",  "pmr",       "jemalloc", "tcmalloc",
                                         "mimalloc", "foonathan", "plf",      "boost"};
    const std::vector<int> dashes[]{{}, {8, 4}, {2, 3}, {10, 3, 2, 3}, {14, 6}, {4, 6}};
    std::vector<looks> all;
    std::map<std::string_view, std::size_t> used;
    for (std::size_t i = 0; i < a.names.size(); ++i) {
        const colours colour =
            c.series.empty() ? colours_of(a.names[i]) : colours_of(in_turn[i % std::size(in_turn)]);
        all.push_back({colour, dashes[used[colour.light]++ % std::size(dashes)]});
    }
    return all;
}

json plot_of(const curve& c, const axes& a) {
    json p{{"curve", true},         {"places", a.places},           {"unit", a.unit},
           {"x", c.x_title},        {"logarithmic", c.logarithmic}, {"bars", c.bars},
           {"lines", json::array()}};
    const std::vector<looks> look = looks_of(c, a);
    for (std::size_t i = 0; i < a.names.size(); ++i) {
        json values = json::array();
        for (const std::string& place : a.places) {
            const auto value = a.at(a.names[i], place);
            values.push_back(value ? json(*value) : json(nullptr));
        }
        p["lines"].push_back({{"name", a.names[i]},
                              {"light", look[i].colour.light},
                              {"dark", look[i].colour.dark},
                              {"dash", look[i].dash},
                              {"values", values}});
    }
    return p;
}

/// A row a line, a column a place: the plot in figures.
std::string table_of(const axes& a) {
    std::string table = "<div class=\"wide\"><table><thead><tr><th></th>";
    for (const std::string& place : a.places)
        table += "<th>" + xml(place) + "</th>";
    table += "</tr></thead><tbody>\n";
    for (const std::string& name : a.names) {
        table += "<tr><td>" + xml(name) + "</td>";
        for (const std::string& place : a.places) {
            const auto value = a.at(name, place);
            table += "<td>" + (value ? short_number(*value) : "-") + "</td>";
        }
        table += "</tr>\n";
    }
    return table + "</tbody></table></div>";
}

std::string card_of(const curve& c, const axes& a, json& plots, bool has_plots) {
    std::string plot;
    if (has_plots) {
        plot = fmt::format("<div class=\"plot\" style=\"height:340px\"><canvas data-plot=\"{}\" "
                           "role=\"img\" aria-label=\"Plot of {}; the table has the figures\">"
                           "</canvas></div>",
                           plots.size(), xml(std::string{c.title}));
        plots.push_back(plot_of(c, a));
    }
    return fmt::format("<div class=\"card\"><h4>{} <span class=\"quiet\">{}</span></h4>"
                       "<p class=\"small quiet\">{}</p>{}{}</div>\n",
                       xml(std::string{c.title}), xml(a.unit), xml(a.title), plot, table_of(a));
}

} // namespace

std::string curves_of(const std::string& workload, const json& results, json& plots,
                      bool has_plots) {
    std::string cards;
    for (const curve& c : curves) {
        if (c.workload != workload)
            continue;
        for (const axes& measured : axes_of(c, results)) {
            const axes a = c.dividend.empty() ? measured : quotient(c, measured);
            if (a.places.size() > 1)
                cards += card_of(c, a, plots, has_plots);
        }
    }
    return cards.empty() ? cards : "<div class=\"cards\">\n" + cards + "</div>\n";
}

bool is_drawn(const std::string& workload, const std::string& metric) {
    return std::any_of(std::begin(curves), std::end(curves), [&](const curve& c) {
        return c.alone && c.workload == workload && metric.starts_with(c.metric);
    });
}

} // namespace arenite::lab
