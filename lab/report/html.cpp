// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "html.hpp"

#include "../run/catalogue.hpp"
#include "page_parts.hpp"
#include "picture.hpp"
#include "verdict.hpp"

#include <arenite/report/detail/text.hpp>

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

// The page is page/page.html with the parts in braces filled in. What must be seen at once is
// written here: the verdict and two pictures. All else is made by page/page.js of the results.
namespace arenite::lab {
namespace {

using detail::report_text::xml;
using nlohmann::json;

std::string chart_js() {
#if defined(ARENITE_LAB_CHART_JS)
    std::ifstream in{ARENITE_LAB_CHART_JS, std::ios::binary};
    std::string text{std::istreambuf_iterator<char>{in}, {}};
    return text.find("</script") == std::string::npos ? text : std::string{};
#else
    return {};
#endif
}

std::string warning(const std::string& text) {
    return "<div class=\"warning\">" + xml(text) + "</div>\n";
}

std::string head_of(const json& results, bool has_plots) {
    const json& m = results.at("machine");
    std::string head =
        fmt::format("<p class=\"quiet\">{}, {}; Arenite {}</p>\n", xml(m.value("processor", "")),
                    xml(m.value("system", "")), xml(m.value("arenite", "")));
    if (m.contains("warnings"))
        for (const std::string text : m.at("warnings"))
            head += warning(text);
    if (!has_plots)
        head += warning("Chart.js was not found where this lab was built (Debian: "
                        "libjs-chart.js), so there are tables and maps, but no plots.");
    for (const json& f : results.at("failures"))
        head += warning(fmt::format("Failed: {}, {}: {}", f.at("workload").get<std::string>(),
                                    f.at("subject").get<std::string>(),
                                    f.at("what").get<std::string>()));
    return head;
}

/// Five lines and six bars; a bar is logarithmic, from 1/16 to 16, and to the left ours is better.
std::string verdict_of(const std::vector<verdict>& all) {
    std::string lines, bars;
    for (const std::string& line : lines_of(all))
        lines += "<li>" + xml(line) + "</li>\n";
    if (lines.empty())
        return {};
    for (const topic_summary& t : topics_of(all)) {
        const char* const kind = t.ratio < 1 && t.better > t.worse   ? "better"
                                 : t.ratio > 1 && t.worse > t.better ? "worse"
                                                                     : "tie";
        const double at = 50 + 50 * std::clamp(std::log2(std::max(t.ratio, 1e-9)) / 4, -1.0, 1.0);
        bars += fmt::format(
            "<span>{}</span><span class=\"ratio\">{}</span><span class=\"bar\"><i class=\"{}\" "
            "style=\"left:{:.1f}%;width:{:.1f}%\"></i></span><span class=\"small\">{} better, {} "
            "within the spread, {} worse <span class=\"quiet\">(best: {})</span></span>\n",
            xml(t.name), xml(ratio_text(t.ratio)), kind, std::min(at, 50.0),
            std::max(std::fabs(at - 50), 0.5), t.better, t.ties, t.worse, xml(t.best_peers));
    }
    return "<ul class=\"lines\">\n" + lines + "</ul>\n<div class=\"bars\">\n" + bars +
           "</div>\n<p class=\"small quiet\">Bars: the median ratio of ours to the best peer, from "
           "1/16 to 16; to the left ours is better, grey where the counts do not say so; in "
           "brackets how often which peer is the best.</p>\n";
}

/// Things that the script would stumble over: a figure that is none; a part that lies in no block.
void check(const json& results) {
    for (const json& r : results.at("results"))
        for (const char* key : {"median", "min", "max"})
            static_cast<void>(r.at(key).get<double>());
    if (!results.contains("maps"))
        return;
    for (const json& entry : results.at("maps"))
        for (const json& map : entry.at("maps")) {
            if (!map.contains("parts"))
                continue;
            const double block_bytes = map.at("block_bytes"), blocks = map.at("blocks");
            for (const json& p : map.at("parts"))
                for (std::size_t i = 2; i + 1 < p.size(); i += 2) {
                    const double bytes = p.at(0), block = p.at(i), offset = p.at(i + 1);
                    if (block < 0 || block >= blocks || offset < 0 || bytes <= 0 ||
                        offset + bytes > block_bytes)
                        throw bad_request("the results have a part that lies in no block");
                }
        }
}

/// The data that the script draws: the results, and the verdicts on them.
std::string data_of(const json& results, const std::vector<verdict>& verdicts) {
    json data = results;
    data["verdicts"] = json::array();
    for (const verdict& v : verdicts)
        data["verdicts"].push_back({{"workload", v.workload},
                                    {"parameters", v.parameters},
                                    {"metric", v.metric},
                                    {"unit", v.unit},
                                    {"state", v.state},
                                    {"ours", v.ours},
                                    {"peer", v.peer},
                                    {"theirs", v.beside.theirs},
                                    {"ratio", v.beside.ratio},
                                    {"shown", ratio_text(v.beside.ratio)},
                                    {"tie", v.beside.tie}});
    const std::string text = data.dump(-1, ' ', false, json::error_handler_t::replace);
    std::string safe; // within a script no text may look like its end
    for (const char letter : text)
        letter == '<' ? safe += "\\u003c" : safe += letter;
    return safe;
}

std::string page(const json& results) {
    check(results);
    const std::vector<verdict> verdicts = verdicts_of(results);
    const std::string chart = chart_js();
    const std::pair<std::string, std::string> parts[]{
        {"style", page_parts::style},
        {"head", head_of(results, !chart.empty())},
        {"verdict", verdict_of(verdicts)},
        {"pictures", pictures_of(results)},
        {"data", data_of(results, verdicts)},
        {"chart", chart},
        {"script", std::string{page_parts::texts} + page_parts::script}};
    std::string html;
    const std::string frame = page_parts::frame;
    std::size_t done = 0;
    for (const auto& [name, text] : parts) { // in the order in which the page has them
        const std::string mark = "{{" + name + "}}";
        const std::size_t at = frame.find(mark, done);
        html += frame.substr(done, at - done) + text;
        done = at + mark.size();
    }
    return html + frame.substr(done);
}

} // namespace

std::string html_report(const json& results) {
    try {
        return page(results);
    } catch (const json::exception& e) {
        throw bad_request(std::string{"the results are not as arenite-lab writes them: "} +
                          e.what());
    }
}

} // namespace arenite::lab
