// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "verdict.hpp"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

namespace arenite::lab {
namespace {

using nlohmann::json;

bool is_memory(const std::string& unit) {
    return unit.find("byte") != std::string::npos || unit.find("iB") != std::string::npos;
}

bool is_time(const std::string& unit) {
    for (const char* const name : {"ns", "us", "ms", "s", "ticks"})
        if (unit == name || unit.starts_with(std::string{name} + "/"))
            return true;
    return false;
}

/// The topic is the workload's where it has one, else that of what is measured.
topic topic_of(const std::string& workload, const std::string& metric, const std::string& unit) {
    const auto is_one_of = [&](std::initializer_list<const char*> names) {
        return std::any_of(names.begin(), names.end(), [&](const char* n) { return metric == n; });
    };
    if (is_memory(unit))
        return topic::memory;
    if (!is_time(unit))
        return topic::other;
    if (workload.starts_with("threads/"))
        return topic::threads;
    if (workload == "trace/replay" || workload.starts_with("programs/"))
        return topic::programs;
    if (is_one_of({"traverse_aged", "cull_aged", "frame_aged", "visit_aged", "visit_with_more",
                   "iterate_aged", "walk_late"}) ||
        (is_one_of({"walk"}) && workload == "order/refill") ||
        (is_one_of({"iterate"}) && workload == "containers/churn"))
        return topic::walk;
    if (is_one_of({"create", "load", "fill", "insert", "make", "add", "allocate_again",
                   "refill_half", "build"}))
        return topic::create;
    if (is_one_of({"destroy", "release", "free_random", "free_all", "free", "delete", "remove",
                   "erase_half", "erase_random", "end", "read_and_free"}))
        return topic::destroy;
    return topic::other;
}

const char* name_of(topic t) {
    switch (t) {
    case topic::walk:
        return "walk after churn";
    case topic::create:
        return "create";
    case topic::destroy:
        return "destroy";
    case topic::memory:
        return "memory";
    case topic::threads:
        return "threads";
    case topic::programs:
        return "programs";
    case topic::other:
        break;
    }
    return "other";
}

template <class Is>
std::vector<const verdict*> some(const std::vector<verdict>& all, Is is) {
    std::vector<const verdict*> found;
    for (const verdict& v : all)
        if (is(v))
            found.push_back(&v);
    return found;
}

double median_ratio(const std::vector<const verdict*>& of) {
    std::vector<double> ratios;
    for (const verdict* v : of)
        ratios.push_back(v->beside.ratio);
    return median_of(std::move(ratios));
}

/// "jemalloc 3, mimalloc 2", the most often named first.
constexpr std::size_t named = 4;
std::string best_peers(const std::vector<const verdict*>& of) {
    std::map<std::string, std::size_t> times;
    for (const verdict* v : of)
        ++times[v->beside.theirs];
    std::vector<std::pair<std::string, std::size_t>> sorted{times.begin(), times.end()};
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    std::string text;
    std::size_t others = 0;
    for (std::size_t i = 0; i < sorted.size(); ++i) {
        if (i >= named)
            others += sorted[i].second;
        else
            text += fmt::format("{}{} {}", i == 0 ? "" : ", ", sorted[i].first, sorted[i].second);
    }
    return others == 0 ? text : fmt::format("{}, others {}", text, others);
}

/// With its parameters where the workload was run with several.
std::string where(const verdict& v, const std::vector<verdict>& all) {
    const bool is_alone = std::none_of(all.begin(), all.end(), [&](const verdict& other) {
        return other.workload == v.workload && other.parameters != v.parameters;
    });
    return fmt::format("{}{}, {}, {}: {} {}, {} {} ({})", v.workload,
                       is_alone || v.parameters.empty() ? "" : " (" + v.parameters + ")",
                       readable(v.metric), v.state, short_number(v.ours), v.unit, v.beside.theirs,
                       short_number(v.peer), ratio_text(v.beside.ratio));
}

std::string furthest(const char* what, const std::vector<const verdict*>& of, bool ahead,
                     const std::vector<verdict>& all) {
    if (of.empty())
        return fmt::format("Nowhere {} beyond the spread.", what);
    const auto first = std::min_element(of.begin(), of.end(), [&](auto a, auto b) {
        return ahead ? a->beside.ratio < b->beside.ratio : a->beside.ratio > b->beside.ratio;
    });
    return fmt::format("Furthest {}: {}.", what, where(**first, all));
}

/// All figures of one metric and state.
struct measured {
    const json* first;                ///< of its results
    std::map<std::string, figure> of; ///< by subject
    std::vector<std::string> subjects;
};

} // namespace

std::string readable(std::string metric) {
    std::replace(metric.begin(), metric.end(), '_', ' ');
    return metric;
}

std::string title_of(const json& parameters) {
    std::vector<std::string> words;
    for (const auto& [name, value] : parameters.items()) {
        std::string text = value.is_string() ? value.get<std::string>() : value.dump();
        if (const std::size_t slash = text.rfind('/'); slash != std::string::npos)
            text.erase(0, slash + 1); // of a file its name
        words.push_back(name + " = " + text);
    }
    return join(words);
}

std::vector<verdict> verdicts_of(const json& results) {
    std::vector<std::pair<std::string, measured>> rows; // by workload, parameters and metric
    for (const char* state : {"warm", "cold"}) {
        std::map<std::string, std::size_t> index;
        for (std::size_t i = 0; i < rows.size(); ++i)
            index[rows[i].first] = i;
        const std::size_t known = rows.size(); // a cold figure counts where there is no warm one
        for (const json& r : results.at("results")) {
            if (r.at("state") != state || !r.value("compared", true))
                continue;
            const std::string key =
                json{r.at("workload"), r.at("parameters"), r.at("metric"), r.at("unit")}.dump();
            const auto [place, is_new] = index.try_emplace(key, rows.size());
            if (place->second < known)
                continue;
            if (is_new)
                rows.push_back({key, {&r, {}, {}}});
            const std::string subject = r.at("subject");
            measured& m = rows[place->second].second;
            m.of[subject] = {r.at("median"), r.at("min"), r.at("max")};
            m.subjects.push_back(subject);
        }
    }

    const json& subjects = results.at("subjects");
    const auto is_floor = [&](const std::string& name) {
        return subjects.contains(name) && subjects.at(name).value("floor", false);
    };
    std::vector<verdict> all;
    for (const auto& [key, m] : rows) {
        const json& r = *m.first;
        const std::string workload = r.at("workload"), metric = r.at("metric"), unit = r.at("unit");
        const std::string ours = results.at("workloads").at(workload).at("ours");
        if (!ours.starts_with("arenite") || !m.of.contains(ours))
            continue;
        const std::string* best = nullptr;
        for (const std::string& s : m.subjects)
            if (is_peer(s, is_floor(s)) &&
                (best == nullptr || m.of.at(s).median < m.of.at(*best).median))
                best = &s;
        if (best == nullptr)
            continue;
        const figure &a = m.of.at(ours), &b = m.of.at(*best);
        if (auto c = compare(a, b, *best, unit))
            all.push_back({workload, title_of(r.at("parameters")), metric, unit, r.at("state"),
                           topic_of(workload, metric, unit), a.median, b.median, std::move(*c)});
    }
    return all;
}

std::vector<topic_summary> topics_of(const std::vector<verdict>& all) {
    std::vector<topic_summary> topics;
    for (const topic t : {topic::walk, topic::create, topic::destroy, topic::memory, topic::threads,
                          topic::programs}) {
        const auto of = some(all, [&](const verdict& v) { return v.about == t; });
        if (of.empty())
            continue;
        topic_summary s{t, name_of(t)};
        for (const verdict* v : of)
            ++(v->is_better() ? s.better : v->is_worse() ? s.worse : s.ties);
        s.ratio = median_ratio(of);
        s.best_peers = best_peers(of);
        topics.push_back(std::move(s));
    }
    return topics;
}

std::vector<std::string> lines_of(const std::vector<verdict>& all) {
    if (all.empty())
        return {};
    const auto better = some(all, [](const verdict& v) { return v.is_better(); });
    const auto worse = some(all, [](const verdict& v) { return v.is_worse(); });
    const auto times = some(all, [](const verdict& v) { return is_time(v.unit); });
    const auto memory = some(all, [](const verdict& v) { return is_memory(v.unit); });
    std::vector<std::string> lines{fmt::format(
        "Of {} figures, each beside the best of all peers measured with it, ours is better in {}, "
        "within the spread in {}, worse in {}.",
        all.size(), better.size(), all.size() - better.size() - worse.size(), worse.size())};
    std::string medians;
    if (!times.empty())
        medians = fmt::format("Times: the median of {} ratios is {}", times.size(),
                              ratio_text(median_ratio(times)));
    if (!memory.empty())
        medians += fmt::format("{}emory: {} of {}", medians.empty() ? "M" : "; m",
                               ratio_text(median_ratio(memory)), memory.size());
    if (!medians.empty())
        lines.push_back(medians + ". Below 1x ours is better.");
    lines.push_back(furthest("ahead", better, true, all));
    lines.push_back(furthest("behind", worse, false, all));
    lines.push_back(fmt::format("The best peer, how often: {}.",
                                best_peers(some(all, [](const verdict&) { return true; }))));
    return lines;
}

} // namespace arenite::lab
