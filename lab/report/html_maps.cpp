// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "html_maps.hpp"

#include "html_parts.hpp"
#include "html_ranges.hpp"

#include <arenite/report/detail/text.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string>

namespace arenite::lab {

using detail::report_text::xml;
using nlohmann::json;

namespace {

/// Blue to yellow, rising in lightness: one order for all eyes, seen on light and on dark.
constexpr std::array<const char*, 16> ramp{
    "#2b4fa8", "#3a5aa6", "#4864a3", "#556ea0", "#62789d", "#6e829a", "#7a8c97", "#869693",
    "#93a08d", "#a1aa86", "#afb37d", "#bebd73", "#cdc667", "#dccf59", "#ebd748", "#f9de32"};

/// "0l4" and so on, as child.cpp writes it.
int digit_of(char letter) {
    return letter >= '0' && letter <= '9'   ? letter - '0'
           : letter >= 'a' && letter <= 'v' ? letter - 'a' + 10
                                            : 0;
}

std::string cells_svg(const json& map, const std::string& label) {
    constexpr int columns = 64;
    const std::string letters = map.at("cells");
    std::array<std::array<std::string, 4>, ramp.size()> paths;
    std::string gaps;
    int n = 0;
    bool gap = false;
    for (std::size_t i = 0; i + 1 < letters.size();) {
        if (letters[i] == '/') {
            gap = true;
            ++i;
            continue;
        }
        const auto position = static_cast<std::size_t>(digit_of(letters[i]) / 2);
        const auto fill = static_cast<std::size_t>(std::clamp(digit_of(letters[i + 1]), 1, 4) - 1);
        const int x = n % columns * 8, y = n / columns * 8;
        paths[position][fill] += fmt::format("M{} {}h7v7h-7z", x, y);
        if (gap)
            gaps += fmt::format("M{} {}v7", x, y);
        gap = false;
        ++n;
        i += 2;
    }
    constexpr const char* opacity[]{".4", ".6", ".8", "1"};
    std::string svg = fmt::format("<svg viewBox=\"0 0 512 {}\" role=\"img\" aria-label=\"{}\">",
                                  std::max(8, (n + columns - 1) / columns * 8), xml(label));
    for (std::size_t p = 0; p < ramp.size(); ++p)
        for (std::size_t f = 0; f < 4; ++f)
            if (!paths[p][f].empty())
                svg += fmt::format("<path fill=\"{}\" fill-opacity=\"{}\" d=\"{}\"/>", ramp[p],
                                   opacity[f], paths[p][f]);
    if (!gaps.empty())
        svg += fmt::format("<path stroke=\"#d55e00\" stroke-width=\"1\" d=\"{}\"/>", gaps);
    return svg + "</svg>";
}

std::string walk_svg(const json& map, const std::string& label) {
    const json& places = map.at("places");
    const double step = 512.0 / std::max<double>(1, static_cast<double>(places.size()));
    std::string dots;
    for (std::size_t i = 0; i < places.size(); ++i)
        dots += fmt::format("M{:.1f} {:.1f}h.1", (static_cast<double>(i) + 0.5) * step,
                            156 - 0.152 * places[i].get<double>());
    return fmt::format("<svg class=\"walk\" viewBox=\"0 0 512 160\" role=\"img\" aria-label=\"{}\">"
                       "<path stroke-width=\"3\" d=\"{}\"/></svg>",
                       xml(label), dots);
}

std::string maps_of(const json& entry) {
    std::string pictures;
    for (const json& map : entry.at("maps")) {
        const std::string name = map.at("name");
        const double near = map.at("near_steps"), upward = map.at("upward_steps");
        const double pages = map.at("pages"), bytes = map.at("object_bytes");
        const auto cell_bytes = map.at("cell_bytes").get<std::size_t>();
        const std::string label = entry.at("subject").get<std::string>() + ", " + name;
        pictures += fmt::format(
            "<div><b>{}</b><div class=\"small quiet\">{:.0f} % of steps stay within a page; "
            "{:.0f} % go upward</div>{}{}<div class=\"small quiet\">{} nodes on {} of pages, "
            "{:.0f} % of them node; one cell {}</div></div>",
            xml(name), 100 * near, 100 * upward,
            walk_svg(map, "Addresses along the walk: " + label),
            cells_svg(map, "Memory map: " + label), map.at("objects").dump(),
            detail::report_text::bytes(static_cast<std::uint64_t>(pages * 4096)),
            pages > 0 ? 100 * bytes / (pages * 4096) : 0.0, detail::report_text::bytes(cell_bytes));
    }
    const std::string subject = entry.at("subject");
    return fmt::format(
        "<div class=\"card\"><h4>{}{}</h4><div class=\"pair\">{}</div></div>\n", dot(subject),
        xml(subject == "std" ? "std: operator new on the system's malloc" : subject), pictures);
}

std::string legend_of_maps() {
    std::string stops;
    for (const char* colour : ramp)
        stops += std::string{stops.empty() ? "" : ","} + colour;
    return fmt::format(
        "<p class=\"small\">Upper picture: the scene is walked from left to right, and each dot is "
        "a node, the higher the higher its address: a line is order, a cloud is disorder. Lower "
        "picture: the memory that holds nodes, from low to high addresses, line by line; a cell's "
        "colour is when the walk comes to its first node: first <span class=\"ramp\" "
        "style=\"background:linear-gradient(to right,{})\"></span> last; the paler, the fewer "
        "nodes share the cell with other data or with holes; a red line is a jump in addresses. "
        "The smaller the picture, the less memory the walk touches.</p>\n",
        stops);
}

} // namespace

std::string maps_section(const json& all) {
    std::string section, last;
    for (const json& entry : all) {
        const json& maps = entry.at("maps");
        if (maps.empty() || is_range(maps.front()))
            continue;
        const std::string title =
            entry.at("workload").get<std::string>() + ": " + title_of(entry.at("parameters"));
        if (title != last)
            section += fmt::format("{}<h3>{}</h3>\n<div class=\"maps\">\n",
                                   section.empty() ? "" : "</div>\n", xml(title));
        last = title;
        section += maps_of(entry);
    }
    if (section.empty())
        return section;
    return "<h2 id=\"maps\">Where the nodes lie, before and after ageing</h2>\n" +
           legend_of_maps() + section + "</div>\n";
}

} // namespace arenite::lab
