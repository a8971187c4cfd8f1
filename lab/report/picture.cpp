// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "picture.hpp"

#include "../run/catalogue.hpp"
#include "verdict.hpp"

#include <arenite/report/detail/text.hpp>

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

namespace arenite::lab {
namespace {

using detail::report_text::xml;
using nlohmann::json;

/// The last map of ours and of malloc, of the first experiment that has both.
struct pair_of_maps {
    json ours, theirs;
    std::string title;
};
std::optional<pair_of_maps> pair_in(const json& results) {
    if (!results.contains("maps"))
        return std::nullopt;
    const json& all = results.at("maps");
    const auto find = [&](const json& beside, const std::string& subject) -> const json* {
        for (const json& entry : all)
            if (entry.at("subject") == subject && entry.at("workload") == beside.at("workload") &&
                entry.at("parameters") == beside.at("parameters"))
                return &entry;
        return nullptr;
    };
    for (const json& entry : all) {
        if (entry.at("maps").empty() || entry.at("maps").back().contains("parts"))
            continue;
        const json* const ours =
            find(entry, results.at("workloads").at(entry.at("workload")).at("ours"));
        const json* theirs = find(entry, "std");
        theirs = theirs != nullptr ? theirs : find(entry, "malloc");
        if (ours != nullptr && theirs != nullptr)
            return pair_of_maps{ours->at("maps").back(), theirs->at("maps").back(),
                                entry.at("workload").get<std::string>() + ": " +
                                    title_of(entry.at("parameters"))};
    }
    return std::nullopt;
}

std::string touched(const json& map) {
    return detail::report_text::bytes(map.at("pages").get<std::uint64_t>() * 4096);
}

std::string dots(const json& map, double left, double top) {
    const json& places = map.at("places");
    const double step = 512.0 / std::max<double>(1, static_cast<double>(places.size()));
    std::string d;
    for (std::size_t i = 0; i < places.size(); ++i)
        d += fmt::format("M{:.1f} {:.1f}h.1", left + (static_cast<double>(i) + 0.5) * step,
                         top + 156 - 0.152 * places[i].get<double>());
    return d;
}

} // namespace

std::string pictures_of(const json& results) {
    const auto pair = pair_in(results);
    if (!pair)
        return {};
    const auto picture = [](const char* kind, const json& map, const std::string& caption) {
        return fmt::format(
            "<figure class=\"{}\"><svg class=\"walk\" viewBox=\"0 0 512 160\" "
            "role=\"img\" aria-label=\"{}\"><path stroke-width=\"3\" d=\"{}\"/></svg>"
            "<figcaption>{}</figcaption></figure>\n",
            kind, xml(caption), dots(map, 0, 0), xml(caption));
    };
    return fmt::format(
        "<div class=\"pictures\">\n{}{}</div>\n<p class=\"small quiet\">{}. Each dot is a node, "
        "from left to right in the order of the walk, the higher the higher its address.</p>\n",
        picture("ours", pair->ours,
                fmt::format("With Arenite the walk touches {}.", touched(pair->ours))),
        picture("theirs", pair->theirs,
                fmt::format("With malloc it touches {}.", touched(pair->theirs))),
        xml(pair->title + ", " + pair->ours.at("name").get<std::string>()));
}

std::string picture_svg(const json& results) {
    const auto pair = pair_in(results);
    if (!pair)
        throw bad_request("the results have no maps of nodes of ours and of malloc: run "
                          "scene/model with --json");
    const auto panel = [](double left, const char* kind, const char* name, const json& map) {
        return fmt::format(
            "<rect class=\"ground\" x=\"{0:.0f}\" y=\"0\" width=\"512\" height=\"160\" rx=\"4\"/>\n"
            "<path class=\"{1}\" stroke-width=\"3\" stroke-linecap=\"round\" d=\"{2}\"/>\n"
            "<text x=\"{0:.0f}\" y=\"184\"><tspan font-weight=\"600\">{3}</tspan>: the walk "
            "touches {4}</text>\n",
            left, kind, dots(map, left, 0), name, touched(map));
    };
    return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 1048 196\" role=\"img\" "
           "aria-label=\"Where the nodes of a scene lie after churn, in the order of the walk: "
           "with Arenite nearly a line, with malloc a cloud\">\n"
           "<style>text{font:18px system-ui,sans-serif;fill:#1d2733}.ground{fill:#eceff2}"
           ".ours{stroke:#0067a8}.theirs{stroke:#1d2733}"
           "@media(prefers-color-scheme:dark){text{fill:#e4e8ec}.ground{fill:#262c34}"
           ".ours{stroke:#6cbcf5}.theirs{stroke:#e4e8ec}}"
           "@media(max-width:600px){text{font-size:26px}}</style>\n" + // on a phone
           panel(0, "ours", "Arenite", pair->ours) +
           panel(536, "theirs", "malloc", pair->theirs) + "</svg>\n";
}

} // namespace arenite::lab
