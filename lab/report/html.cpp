// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "html.hpp"

#include "../run/catalogue.hpp"
#include "compare.hpp"
#include "html_curves.hpp"
#include "html_maps.hpp"
#include "html_page.hpp"
#include "html_parts.hpp"
#include "html_ranges.hpp"
#include "html_summary.hpp"
#include "html_tables.hpp"
#include "table.hpp"

#include <arenite/report/detail/text.hpp>

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <vector>

namespace arenite::lab {
namespace {

using detail::report_text::xml;
using nlohmann::json;

// ---- what is shown ------------------------------------------------------------------------------

/// What a workload shows, in a sentence; of one not named here its own summary is told alone.
std::string shows(const std::string& workload) {
    static const std::map<std::string, std::string> sentences{
        {"trace/replay",
         "Every allocation and free of a real program, in its order: what a heap is "
         "worth where nobody had it in mind. (file=importer is made, not "
         "recorded.)"},
        {"latency/heap", "Each call timed by itself: what the rare, slow ones cost a frame."},
        {"order/pair", "One object goes, another comes, again and again: what a heap costs that "
                       "is never quiet."},
        {"memory/phases", "A program that changes what it holds: whether memory that one size "
                          "left serves another."},
        {"freelist/fragmentation",
         "The smallest region in which a program can run, for a byte of the most that is live."},
        {"memory/fragmentation", "Objects are replaced by others of random sizes, ten times over: "
                                 "how much memory that takes."},
        {"scene/quadtree", "How quickly a tree of many nodes is made, walked and taken down: order "
                           "in memory makes the walk a stroll, bookkeeping makes all three dear."},
        {"scene/model", "A real building, loaded many times into a city as a paging engine does, "
                        "then a random third of it replaced three times: what ageing does to the "
                        "walk and the memory of a scene."},
        {"scene/churn", "Parts of a scene are deleted and added again, round after round: whether "
                        "a scene that is edited stays as quick to walk as a fresh one."},
        {"order/refill", "Half of all nodes are freed at random and as many made again as one "
                         "list: whoever reuses memory in the order in which it was freed makes "
                         "the walk jump."},
        {"linear/thesis",
         "What it costs to allocate where everything dies together, as the thesis measured it: "
         "the call alone, without a write and without freeing. A linear resource moves one "
         "pointer in a buffer that it already has: about two ticks, whatever the size. malloc "
         "takes its fast path for small sizes, but asks the system for memory as the sizes grow, "
         "and maps each allocation of 1 MiB by itself (until it has freed one, which raises its "
         "threshold): so the ratio grows with the size, and says what a buffer kept for reuse "
         "saves, not how good malloc is. construct=yes also writes every byte: there page faults "
         "and the writes dominate, and the cold figures are close."},
        {"linear/cold", "What it costs to fill memory that nobody has touched: page faults, and "
                        "how few of them a resource gets by with."},
        {"frames/loop", "The memory of a frame: a thousand small allocations that all die when "
                        "their frame is over."},
        {"pool/thesis", "Objects of one size, freed at random and made again: the pools' own "
                        "ground."},
        {"handle/list", "A list whose nodes lie anywhere is put in order while the program runs: "
                        "what the walk costs before and after, and what the moving does."},
        {"pool/iterate", "Walking over what lives in a pool with more and more holes in it."},
        {"objects/pool", "Objects that come and go: used again as they are, or made and ended."},
        {"pointers/costs", "What an owner of an object costs: to make and end one, to follow it, "
                           "to share it."},
        {"frames/vr", "A program that has 11.1 ms a frame: which share of it goes into memory, and "
                      "how many frames come too late."},
        {"threads/false_sharing", "Threads that write beside each other, on one line of the cache: "
                                  "by their own fault, or by the allocator's."},
        {"memory/vectors", "Objects side by side in a vector against a vector of pointers to "
                           "them: what one step aside costs."}};
    const auto found = sentences.find(workload);
    return found == sentences.end() ? std::string{} : found->second;
}

struct figure {
    double median, least, most;
};

/// One metric of one experiment.
struct metric {
    std::string name, unit;
    bool compared = true;
    std::map<std::string, std::map<std::string, figure>> states = {}; ///< state, subject

    [[nodiscard]] const figure* find(const std::string& state, const std::string& subject) const {
        const auto of_state = states.find(state);
        if (of_state == states.end())
            return nullptr;
        const auto found = of_state->second.find(subject);
        return found == of_state->second.end() ? nullptr : &found->second;
    }
    /// The one by which it is sorted.
    [[nodiscard]] const char* main_state() const {
        return states.contains("warm") ? "warm" : "cold";
    }
};

struct experiment_results {
    std::string workload;
    json parameters;
    std::vector<metric> metrics;
    std::vector<std::string> subjects; ///< in the order in which they were run
};

std::vector<experiment_results> experiments_of(const json& results) {
    std::vector<experiment_results> all;
    for (const json& r : results) {
        const std::string workload = r.at("workload");
        auto e = std::find_if(all.begin(), all.end(), [&](const experiment_results& known) {
            return known.workload == workload && known.parameters == r.at("parameters");
        });
        if (e == all.end())
            e = all.insert(all.end(), {workload, r.at("parameters"), {}, {}});
        const std::string name = r.at("metric"), unit = r.at("unit"), subject = r.at("subject");
        auto m = std::find_if(e->metrics.begin(), e->metrics.end(), [&](const metric& known) {
            return known.name == name && known.unit == unit;
        });
        if (m == e->metrics.end())
            m = e->metrics.insert(e->metrics.end(), {name, unit, r.value("compared", true)});
        m->states[r.at("state")][subject] = {r.at("median"), r.at("min"), r.at("max")};
        if (std::find(e->subjects.begin(), e->subjects.end(), subject) == e->subjects.end())
            e->subjects.push_back(subject);
    }
    return all;
}

/// Ours against the fastest of those a workload is measured by.
struct ratio {
    double value;
    bool tie;
    std::string theirs;
};
std::optional<ratio> ratio_of(const metric& m, const std::string& state, const json& workload) {
    const std::string ours = workload.at("ours");
    const figure* const a = m.find(state, ours);
    if (!m.compared || a == nullptr)
        return std::nullopt;
    const figure* b = nullptr;
    std::string theirs;
    for (const auto& [subject, f] : m.states.at(state))
        for (const std::string base : workload.at("against"))
            if (is_or_twin_of(subject, base) && (b == nullptr || f.median < b->median)) {
                b = &f;
                theirs = subject;
            }
    if (b == nullptr || b->median <= 0)
        return std::nullopt;
    const auto within = [](double value, const figure& f) {
        return value >= f.least && value <= f.most;
    };
    return ratio{a->median / b->median, within(a->median, *b) || within(b->median, *a), theirs};
}

std::string ratio_text(const ratio& r) {
    const char* const kind = r.tie ? "tie" : r.value < 1 ? "better" : "worse";
    return fmt::format("<span class=\"{}\">{}x</span>", kind,
                       r.value < 0.01 ? fmt::format("{:.2g}", r.value) : short_number(r.value));
}

// ---- parts of the page --------------------------------------------------------------------------

/// A bar from the middle: 1/16 to 16 on a logarithmic scale.
std::string ratio_bar(const ratio& r) {
    const double place = 50 + 50 * std::clamp(std::log2(std::max(r.value, 1e-9)) / 4, -1.0, 1.0);
    return fmt::format("<span class=\"bar\"><i style=\"left:{:.1f}%;width:{:.1f}%;"
                       "background:var(--{})\"></i></span>",
                       std::min(place, 50.0), std::fabs(place - 50),
                       r.tie         ? "quiet"
                       : r.value < 1 ? "good"
                                     : "bad");
}

/// All ratios, a table an experiment.
std::string overview(const std::vector<experiment_results>& all, const json& workloads) {
    std::string tables;
    std::vector<judged> judgements;
    for (const experiment_results& e : all) {
        std::string rows;
        for (const metric& m : e.metrics) {
            const std::string state = m.main_state();
            const auto r = ratio_of(m, state, workloads.at(e.workload));
            if (!r)
                continue;
            judgements.push_back({e.workload, m.name, m.unit, r->theirs, r->value, r->tie});
            rows += fmt::format("<tr><td>{}, {}</td><td>{}</td><td>{}</td>"
                                "<td class=\"text quiet\">{}</td></tr>\n",
                                xml(readable(m.name)), state, ratio_text(*r), ratio_bar(*r),
                                xml(r->theirs));
        }
        if (!rows.empty())
            tables += fmt::format("<div class=\"card\"><h4>{}</h4><p class=\"small quiet\">{}</p>"
                                  "<div class=\"wide\"><table>{}</table></div></div>\n",
                                  xml(e.workload), xml(title_of(e.parameters)), rows);
    }
    if (tables.empty())
        return {};
    return fmt::format(
        "<h2 id=\"overview\">Ours beside the fastest peer, on this machine</h2>\n"
        "{}<p>A ratio is ours to theirs, of the medians: below 1x ours is better. Those in grey "
        "are "
        "within the spread: one median lies between the smallest and the largest figure of the "
        "other. Bars are logarithmic, from 1/16 to 16: to the left ours is better.</p>\n"
        "<div class=\"cards narrow\">{}</div>\n",
        summary_of(judgements), tables);
}

std::string cell(const figure* f) {
    return f == nullptr ? std::string{"<td>-</td>"}
                        : fmt::format("<td>{}<span class=\"spread\">{} to {}</span></td>",
                                      short_number(f->median), short_number(f->least),
                                      short_number(f->most));
}

/// A plot and its table; adds what the plot draws.
std::string card(const experiment_results& e, const metric& m, const json& workload, json& plots,
                 bool has_plots) {
    const std::string main = m.main_state();
    const std::string ours = workload.at("ours");
    std::vector<std::string> subjects;
    for (const std::string& s : e.subjects)
        if (m.find("cold", s) != nullptr || m.find("warm", s) != nullptr)
            subjects.push_back(s);
    const auto key = [&](const std::string& s) {
        const figure* f = m.find(main, s);
        return f != nullptr ? f->median : 1e300;
    };
    std::stable_sort(subjects.begin(), subjects.end(),
                     [&](const auto& a, const auto& b) { return key(a) < key(b); });

    std::vector<std::string> states;
    for (const char* state : {"cold", "warm"})
        if (m.states.contains(state))
            states.emplace_back(state);

    std::string told;
    for (const std::string& state : states)
        if (const auto r = ratio_of(m, state, workload))
            told += fmt::format("{}{} of {} {}{}", told.empty() ? "" : ", ", ratio_text(*r),
                                xml(r->theirs), state, r->tie ? " (within the spread)" : "");
    if (!told.empty())
        told = xml(ours) + " takes " + told;

    std::string table = "<table><thead><tr><th>subject</th>";
    for (const std::string& state : states)
        table += fmt::format("<th>{}</th>", state);
    table += "</tr></thead><tbody>\n";
    for (const std::string& s : subjects) {
        table +=
            fmt::format("<tr{}><td>{}{}</td>", s == ours ? " class=\"ours\"" : "", dot(s), xml(s));
        for (const std::string& state : states)
            table += cell(m.find(state, s));
        table += "</tr>\n";
    }
    table += "</tbody></table>";

    std::string plot;
    if (has_plots) {
        json p{{"unit", m.unit.empty() ? m.name : m.unit}, {"subjects", subjects}};
        const auto place = std::find(subjects.begin(), subjects.end(), ours);
        p["ours"] = place == subjects.end() ? -1 : place - subjects.begin();
        for (const std::string& s : subjects) {
            p["light"].push_back(colours_of(s).light);
            p["dark"].push_back(colours_of(s).dark);
        }
        for (const std::string& state : states) {
            json medians = json::array(), spread = json::array();
            for (const std::string& s : subjects) {
                const figure* f = m.find(state, s);
                medians.push_back(f != nullptr ? json(f->median) : json(nullptr));
                spread.push_back(f != nullptr ? json{f->least, f->most} : json(nullptr));
            }
            p["states"].push_back({{"state", state}, {"medians", medians}, {"spread", spread}});
        }
        const std::size_t height = 56 + subjects.size() * (states.size() == 2 ? 34 : 26);
        plot = fmt::format("<div class=\"plot\" style=\"height:{}px\"><canvas data-plot=\"{}\" "
                           "role=\"img\" aria-label=\"Plot of {}; the table has the figures\">"
                           "</canvas></div>",
                           height, plots.size(), xml(m.name));
        plots.push_back(std::move(p));
    }
    return fmt::format("<div class=\"card\"><h4>{} <span class=\"quiet\">{}</span></h4>"
                       "<p class=\"small\">{}</p><div class=\"both\">{}<div class=\"wide\">{}"
                       "</div></div></div>\n",
                       xml(readable(m.name)), xml(m.unit), told, plot, table);
}

/// What is neither good nor bad of itself: one table of medians.
std::string for_information(const experiment_results& e) {
    std::string rows;
    for (const metric& m : e.metrics) {
        if (m.compared)
            continue;
        for (const auto& [state, figures] : m.states) {
            rows += fmt::format("<tr><td>{}{}{}, {}</td>", xml(readable(m.name)),
                                m.unit.empty() ? "" : " ", xml(m.unit), state);
            for (const std::string& s : e.subjects) {
                const figure* const f = m.find(state, s);
                rows += "<td>" + (f != nullptr ? short_number(f->median) : "-") + "</td>";
            }
            rows += "</tr>\n";
        }
    }
    if (rows.empty())
        return rows;
    std::string head;
    for (const std::string& s : e.subjects)
        head += "<th>" + xml(s) + "</th>";
    return "<p class=\"small quiet\">For information, neither good nor bad of itself; medians</p>"
           "<div class=\"wide\"><table><thead><tr><th></th>" +
           head + "</tr></thead><tbody>" + rows + "</tbody></table></div>\n";
}

std::string chart_js() {
#if defined(ARENITE_LAB_CHART_JS)
    std::ifstream in{ARENITE_LAB_CHART_JS, std::ios::binary};
    std::string text{std::istreambuf_iterator<char>{in}, {}};
    return text.find("</script") == std::string::npos ? text : std::string{};
#else
    return {};
#endif
}

/// Within a script no text may look like its end.
std::string script_safe(std::string text) {
    for (std::size_t i = text.find("</"); i != std::string::npos; i = text.find("</", i))
        text.replace(i, 2, "<\\/");
    return text;
}

std::string anchor_of(const std::string& workload) {
    std::string text = workload;
    std::replace(text.begin(), text.end(), '/', '-');
    return xml(text);
}

std::string page(const json& results) {
    const std::vector<experiment_results> all = experiments_of(results.at("results"));
    const json& workloads = results.at("workloads");
    const json& m = results.at("machine");
    const std::string chart = chart_js();
    const json maps = results.contains("maps") ? results.at("maps") : json::array();
    const std::string nodes = maps_section(maps);
    const std::string ratios = overview(all, workloads);
    json plots = json::array();

    std::string body = "<header><h1>What allocators are worth on this machine</h1>\n";
    body +=
        fmt::format("<p class=\"quiet\">{}, {}; Arenite {}</p>\n", xml(m.value("processor", "")),
                    xml(m.value("system", "")), xml(m.value("arenite", "")));
    if (m.contains("warnings"))
        for (const std::string warning : m.at("warnings"))
            body += "<div class=\"warning\">" + xml(warning) + "</div>\n";
    if (chart.empty())
        body += "<div class=\"warning\">Chart.js was not found where this lab was built (Debian: "
                "libjs-chart.js), so there are tables and maps, but no plots.</div>\n";
    for (const json& f : results.at("failures"))
        body += fmt::format("<div class=\"warning\">Failed: {}, {}: {}</div>\n",
                            xml(f.at("workload").get<std::string>()),
                            xml(f.at("subject").get<std::string>()),
                            xml(f.at("what").get<std::string>()));

    std::vector<std::string> names;
    for (const experiment_results& e : all)
        if (std::find(names.begin(), names.end(), e.workload) == names.end())
            names.push_back(e.workload);
    body += "<nav aria-label=\"Contents\">";
    if (!nodes.empty())
        body += "<a href=\"#maps\">maps</a>";
    if (!ratios.empty())
        body += "<a href=\"#overview\">overview</a>";
    for (const std::string& name : names)
        body += fmt::format("<a href=\"#{}\">{}</a>", anchor_of(name), xml(name));
    body += "<a href=\"#subjects\">subjects</a><a href=\"#machine\">machine</a></nav>\n";
    body += "<p class=\"small\">A <b>subject</b> is an allocator. Each runs in a process of its "
            "own, a <b>turn</b>; the subjects take turns, so that noise affects all alike. "
            "<b>Cold</b> is the first pass of a fresh process (pale bars), <b>warm</b> a later one "
            "(full bars); bars are medians of all turns, whiskers show the smallest and the "
            "largest value; where they leave the plot, the table has their end. Ours is blue and "
            "bold. \"-thp\" and \"-4k\" are <b>twins</b>: the same code with and without huge "
            "pages. The <b>seeds</b> are the documents that Arenite began from; seed 3 is the "
            "<b>thesis</b> whose experiments some workloads repeat (Kaltenbrunn, Modern Memory "
            "Management, 2018).</p></header>\n<main>\n";
    body += nodes;
    body += ratios;
    body += seeds_section(results);

    for (const std::string& name : names) {
        const json& workload = workloads.at(name);
        body += fmt::format("<section id=\"{}\"><h2>{}</h2>\n<p>{} <span class=\"quiet\">({})"
                            "</span></p>\n",
                            anchor_of(name), xml(name), xml(shows(name)),
                            xml(workload.value("summary", "")));
        body += ranges_of(name, maps);
        const std::string curves = curves_of(name, results.at("results"), plots, !chart.empty());
        body += curves;
        for (experiment_results e : all) {
            if (e.workload != name)
                continue;
            if (!curves.empty())
                std::erase_if(e.metrics, [&](const metric& m) { return is_drawn(name, m.name); });
            if (e.metrics.empty())
                continue;
            body += fmt::format("<h3>{}</h3>\n", xml(title_of(e.parameters)));
            body += "<div class=\"cards\">\n";
            for (const metric& one : e.metrics)
                if (one.compared)
                    body += card(e, one, workload, plots, !chart.empty());
            body += "</div>\n" + for_information(e);
        }
        body += "</section>\n";
    }
    body += "<h2 id=\"subjects\">Subjects</h2>\n" + subject_table(results.at("subjects"));
    body += "<h2 id=\"machine\">The machine</h2>\n" + machine_table(m) + "<p></p></main>\n";

    std::string html =
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
        "<title>Arenite lab report</title>\n<link rel=\"icon\" href=\"data:,\">\n<style>";
    html += html_page::style;
    html += "</style></head>\n<body>\n" + body;
    if (!chart.empty()) {
        html += "<script type=\"application/json\" id=\"plots\">" +
                script_safe(plots.dump(-1, ' ', false, json::error_handler_t::replace)) +
                "</script>\n<script>" + chart + "</script>\n<script>";
        html += html_page::script;
        html += "</script>\n";
    }
    return html + "</body></html>\n";
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
