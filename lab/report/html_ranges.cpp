// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "html_ranges.hpp"

#include "../run/catalogue.hpp"
#include "html_parts.hpp"

#include <arenite/report/detail/text.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace arenite::lab {

using detail::report_text::xml;
using nlohmann::json;

namespace {

/// The kinds of parts have these; told apart by lightness too, seen on light and on dark.
constexpr std::array<const char*, 3> kind_colours{"#2b4fa8", "#e0852a", "#4fb39a"};

struct part {
    double bytes;
    std::size_t kind;
    std::size_t block;
    double offset;
    std::size_t block_later = 0;
    double offset_later = 0;

    explicit part(const json& p)
        : bytes{p.at(0)}, kind{p.at(1).get<std::size_t>() % kind_colours.size()}, block{p.at(2)},
          offset{p.at(3)} {
        block_later = block, offset_later = offset;
        if (p.size() > 4)
            block_later = p.at(4), offset_later = p.at(5);
    }
    [[nodiscard]] bool moved() const { return block != block_later || offset != offset_later; }
};

std::vector<part> parts_of(const json& map) {
    const double block_bytes = map.at("block_bytes");
    const std::size_t blocks = map.at("blocks");
    const auto is_within = [&](std::size_t block, double offset, double bytes) {
        return block < blocks && offset >= 0 && bytes > 0 && offset + bytes <= block_bytes;
    };
    std::vector<part> parts;
    for (const json& p : map.at("parts")) {
        const part& one = parts.emplace_back(p);
        if (!is_within(one.block, one.offset, one.bytes) ||
            !is_within(one.block_later, one.offset_later, one.bytes))
            throw bad_request("the results have a part that lies in no block");
    }
    return parts;
}

std::string svg_begin(double width, double height, const std::string& label) {
    return fmt::format("<svg viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\" aria-label=\"{}\">", width,
                       height, xml(label));
}

// ---- one moment ---------------------------------------------------------------------------------

constexpr double line_width = 512, line_height = 9, line_step = 11;
constexpr std::size_t lines = 32;

/// The range from low to high offsets, line by line.
std::string moment_svg(const json& map, const std::string& label) {
    const double range = map.at("block_bytes").get<double>() * map.at("blocks").get<double>();
    const double line_bytes = range / lines;
    std::array<std::string, kind_colours.size()> paths;
    for (const part& p : parts_of(map)) {
        const double begin = static_cast<double>(p.block) * map.at("block_bytes").get<double>();
        double at = begin + p.offset;
        for (double left = p.bytes; left > 0;) { // it may go on in the next line
            const double line = std::floor(at / line_bytes);
            const double here = std::min(left, (line + 1) * line_bytes - at);
            paths[p.kind] += fmt::format("M{:.2f} {:.0f}h{:.2f}v{:.0f}h-{:.2f}z",
                                         (at - line * line_bytes) / line_bytes * line_width,
                                         line * line_step, here / line_bytes * line_width,
                                         line_height, here / line_bytes * line_width);
            at += here;
            left -= here;
        }
    }
    std::string svg = svg_begin(line_width, lines * line_step, label);
    for (std::size_t i = 0; i < lines; ++i)
        svg += fmt::format("<rect class=\"free\" y=\"{:.0f}\" width=\"{:.0f}\" height=\"{:.0f}\"/>",
                           static_cast<double>(i) * line_step, line_width, line_height);
    for (std::size_t k = 0; k < paths.size(); ++k)
        if (!paths[k].empty())
            svg += fmt::format("<path fill=\"{}\" d=\"{}\"/>", kind_colours[k], paths[k]);
    return svg + "</svg>";
}

// ---- two moments --------------------------------------------------------------------------------

constexpr double strip_width = 1000, strip_height = 54, strip_distance = 210, between_blocks = 6;

/// Blocks side by side, before above and after below; a band for each part that moved.
std::string moves_svg(const json& map, const std::string& label) {
    const std::size_t blocks = map.at("blocks");
    const double block_bytes = map.at("block_bytes");
    const double block_width = (strip_width - between_blocks * static_cast<double>(blocks - 1)) /
                               static_cast<double>(blocks);
    const double y_later = strip_height + strip_distance;
    const auto x_of = [&](std::size_t block, double offset) {
        return static_cast<double>(block) * (block_width + between_blocks) +
               offset / block_bytes * block_width;
    };
    std::string moved, bands, still;
    std::vector<bool> in_use(blocks), in_use_later(blocks);
    for (const part& p : parts_of(map)) {
        const double width = p.bytes / block_bytes * block_width;
        const double x = x_of(p.block, p.offset), x_later = x_of(p.block_later, p.offset_later);
        in_use[p.block] = in_use_later[p.block_later] = true;
        std::string& path = p.moved() ? moved : still;
        for (const auto& [left, top] : {std::pair{x, 0.0}, std::pair{x_later, y_later}})
            path += fmt::format("M{:.2f} {:.0f}h{:.2f}v{:.0f}h-{:.2f}z", left, top, width,
                                strip_height, width);
        if (p.moved()) {
            const double middle = strip_height + strip_distance / 2;
            bands += fmt::format(
                "M{0:.2f} {1:.0f}C{0:.2f} {2:.0f} {3:.2f} {2:.0f} {3:.2f} {4:.0f}h{5:.2f}"
                "C{6:.2f} {2:.0f} {7:.2f} {2:.0f} {7:.2f} {1:.0f}z",
                x, strip_height, middle, x_later, y_later, width, x_later + width, x + width);
        }
    }
    std::string svg = svg_begin(strip_width, y_later + strip_height, label);
    for (std::size_t b = 0; b < blocks; ++b) {
        for (const auto& [used, top] :
             {std::pair{in_use[b], 0.0}, std::pair{in_use_later[b], y_later}})
            svg += fmt::format("<rect class=\"{}\" x=\"{:.2f}\" y=\"{:.1f}\" width=\"{:.2f}\" "
                               "height=\"{:.1f}\"/>",
                               used ? "free" : "gone", x_of(b, 0) + (used ? 0 : .5),
                               top + (used ? 0 : .5), block_width - (used ? 0 : 1),
                               strip_height - (used ? 0 : 1));
    }
    svg += fmt::format("<path fill=\"#7d8590\" d=\"{}\"/>"
                       "<path fill=\"{}\" fill-opacity=\".28\" d=\"{}\"/>"
                       "<path fill=\"{}\" d=\"{}\"/>",
                       still, kind_colours[1], bands, kind_colours[1], moved);
    return svg + "</svg>";
}

// ---- with words ---------------------------------------------------------------------------------

std::string bytes_text(double bytes) {
    return detail::report_text::bytes(static_cast<std::uint64_t>(bytes));
}

std::string moves_words(const json& map) {
    double in_use = 0, copied = 0;
    std::size_t moves = 0;
    for (const part& p : parts_of(map)) {
        in_use += p.bytes;
        copied += p.moved() ? p.bytes : 0;
        moves += p.moved() ? 1 : 0;
    }
    return fmt::format("{} blocks of {} before, {} after; {} of {} parts moved, {} of {}",
                       map.at("blocks").dump(), bytes_text(map.at("block_bytes")),
                       map.at("blocks_later").dump(), moves, map.at("parts").size(),
                       bytes_text(copied), bytes_text(in_use));
}

std::string moment_words(const json& map) {
    std::vector<part> parts = parts_of(map);
    std::sort(parts.begin(), parts.end(),
              [](const part& a, const part& b) { return a.offset < b.offset; });
    double in_use = 0, hole = 0, end = 0;
    for (const part& p : parts) {
        in_use += p.bytes;
        hole = std::max(hole, p.offset - end);
        end = p.offset + p.bytes;
    }
    const double all = map.at("block_bytes");
    return fmt::format("{} parts, {} of {} in use up to {}; the largest hole has {}", parts.size(),
                       bytes_text(in_use), bytes_text(all), bytes_text(end),
                       bytes_text(std::max(hole, all - end)));
}

std::string legend_of(const json& map) {
    if (map.contains("blocks_later"))
        return fmt::format(
            "Above: the blocks before; below: after. <span class=\"dot\" "
            "style=\"background:{}\"></span>what moved, and where to; "
            "<span class=\"dot\" style=\"background:#7d8590\"></span>what stayed; an "
            "outline is a block that was given back.",
            kind_colours[1]);
    std::string text = "From low to high offsets, line by line: ";
    const std::vector<part> parts = parts_of(map);
    for (std::size_t k = 0; k < map.at("kinds").size() && k < kind_colours.size(); ++k)
        if (std::any_of(parts.begin(), parts.end(), [&](const part& p) { return p.kind == k; }))
            text += fmt::format("<span class=\"dot\" style=\"background:{}\"></span>{} ",
                                kind_colours[k], xml(map.at("kinds")[k].get<std::string>()));
    return text;
}

} // namespace

bool is_range(const json& map) { return map.contains("parts"); }

std::string ranges_of(const std::string& workload, const json& maps) {
    std::string section, last;
    for (const json& entry : maps) {
        if (entry.at("workload") != workload)
            continue;
        const std::string subject = entry.at("subject");
        for (const json& map : entry.at("maps")) {
            if (!is_range(map))
                continue;
            const bool moves = map.contains("blocks_later");
            const std::string name = map.at("name");
            const std::string title = name + ": " + title_of(entry.at("parameters"));
            if (title != last)
                section +=
                    fmt::format("{}<h3>{}</h3>\n<p class=\"small\">{}</p>\n<div "
                                "class=\"maps\">\n",
                                section.empty() ? "" : "</div>\n", xml(title), legend_of(map));
            last = title;
            const std::string label = name + ", " + subject;
            section += fmt::format("<div class=\"card range\"><h4>{}{}</h4><div class=\"small "
                                   "quiet\">{}</div>{}</div>\n",
                                   dot(subject), xml(subject),
                                   moves ? moves_words(map) : moment_words(map),
                                   moves ? moves_svg(map, label) : moment_svg(map, label));
        }
    }
    return section.empty() ? section : section + "</div>\n";
}

} // namespace arenite::lab
