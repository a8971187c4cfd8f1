// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "drift.hpp"

#include "../run/catalogue.hpp"
#include "grid.hpp"
#include "verdict.hpp"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

namespace arenite::lab {
namespace {

using nlohmann::json;

std::string key_of(const json& r) {
    return json{r.at("workload"), r.at("parameters"), r.at("metric"),
                r.at("unit"),     r.at("state"),      r.at("subject")}
        .dump();
}

figure figure_in(const json& r) { return {r.at("median"), r.at("min"), r.at("max")}; }

struct change {
    const json* after;
    double from, to;
    comparison beside;
};

std::string drift(const json& before, const json& after) {
    std::map<std::string, const json*> old;
    for (const json& r : before.at("results"))
        old[key_of(r)] = &r;
    std::vector<change> ours, moved;
    std::vector<double> others;
    for (const json& r : after.at("results")) {
        const auto found = old.find(key_of(r));
        if (found == old.end() || !r.value("compared", true))
            continue;
        const std::string subject = r.at("subject"), unit = r.at("unit");
        const figure was = figure_in(*found->second), is = figure_in(r);
        const auto c = compare(is, was, subject, unit);
        if (!c)
            continue;
        if (is_peer(subject, false))
            others.push_back(c->ratio);
        else
            ours.push_back({&r, was.median, is.median, *c});
    }
    if (ours.empty() && others.empty())
        throw bad_request("the two files share no figure: run the same workloads, with the same "
                          "parameters and subjects");
    std::copy_if(ours.begin(), ours.end(), std::back_inserter(moved),
                 [](const change& c) { return !c.beside.tie; });
    std::stable_sort(moved.begin(), moved.end(), [](const change& a, const change& b) {
        return a.beside.ratio < b.beside.ratio;
    });

    grid g;
    g.left_columns(3);
    g.add({{"workload"}, {"metric, state"}, {"subject"}, {"before"}, {"after"}, {"after/before"}});
    for (const change& c : moved)
        g.add({{c.after->at("workload"), title_of(c.after->at("parameters"))},
               {fmt::format("{}, {}", readable(c.after->at("metric")),
                            c.after->at("state").get<std::string>()),
                c.after->at("unit")},
               {c.beside.theirs},
               {short_number(c.from)},
               {short_number(c.to)},
               {ratio_text(c.beside.ratio)}});
    const auto better = std::count_if(moved.begin(), moved.end(),
                                      [](const change& c) { return c.beside.ratio < 1; });
    std::string text = moved.empty() ? std::string{} : g.text() + "\n";
    text += fmt::format("Of {} figures of Arenite {} became better, {} worse; {} are within the "
                        "spread.\n",
                        ours.size(), better, static_cast<std::ptrdiff_t>(moved.size()) - better,
                        ours.size() - moved.size());
    if (!others.empty())
        text += fmt::format("Of the others, which did not change, the median of {} is {} of what "
                            "it was: far from 1.00x the machine is another.\n",
                            others.size(), ratio_text(median_of(others)));
    return text;
}

} // namespace

std::string drift_of(const json& before, const json& after) {
    try {
        return drift(before, after);
    } catch (const json::exception& e) {
        throw bad_request(std::string{"the results are not as arenite-lab writes them: "} +
                          e.what());
    }
}

} // namespace arenite::lab
