// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "experiment.hpp"
#include "nearest.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/core.h>
#include <set>

namespace arenite::lab {
namespace {

using value_lists = std::map<std::string, std::vector<std::string>>;

std::vector<std::string> split(const std::string& text, char separator) {
    std::vector<std::string> parts;
    std::size_t start = 0;
    for (;;) {
        const std::size_t end = text.find(separator, start);
        parts.push_back(text.substr(start, end - start));
        if (end == std::string::npos)
            return parts;
        start = end + 1;
    }
}

void check_value(const workload_info& workload, const parameter& p, const std::string& value) {
    if (p.type == parameter::kind::integer) {
        std::int64_t number = 0;
        const char* end = value.data() + value.size();
        const auto [stopped, error] = std::from_chars(value.data(), end, number);
        if (error == std::errc::result_out_of_range)
            throw bad_request(fmt::format("{}: {}={} is out of range; it may be {} to {}",
                                          workload.name, p.name, value, p.least, p.most));
        if (error != std::errc{} || stopped != end)
            throw bad_request(fmt::format("{}: {}='{}' is not a whole number (of {} to {})",
                                          workload.name, p.name, value, p.least, p.most));
        if (number < p.least || number > p.most)
            throw bad_request(fmt::format("{}: {}={} is out of range; it may be {} to {}",
                                          workload.name, p.name, value, p.least, p.most));
    } else if (p.type == parameter::kind::choice) {
        if (std::find(p.choices.begin(), p.choices.end(), value) == p.choices.end())
            throw bad_request(fmt::format("{}: {}='{}' is not one of: {}", workload.name, p.name,
                                          value, join(p.choices)));
    }
}

/// The settings as typed; a text may hold commas, of the others each value is an experiment.
std::map<std::string, std::string> parse_settings(const std::vector<std::string>& settings) {
    std::map<std::string, std::string> parsed;
    for (const std::string& setting : settings) {
        const std::size_t equals = setting.find('=');
        if (equals == std::string::npos || equals == 0)
            throw bad_request(fmt::format("'{}' is not KEY=VALUE", setting));
        if (!parsed.emplace(setting.substr(0, equals), setting.substr(equals + 1)).second)
            throw bad_request(fmt::format("{} is set twice; several values are written KEY=A,B",
                                          setting.substr(0, equals)));
    }
    return parsed;
}

void check_known(const std::map<std::string, std::string>& settings,
                 const std::vector<const workload_info*>& workloads) {
    for (const auto& [key, value] : settings) {
        std::string known;
        std::vector<std::string> all;
        for (const workload_info* w : workloads) {
            std::vector<std::string> names;
            for (const parameter& p : w->parameters)
                names.push_back(p.name);
            all.insert(all.end(), names.begin(), names.end());
            known += fmt::format("\n  {}: {}", w->name, names.empty() ? "none" : join(names));
        }
        if (std::find(all.begin(), all.end(), key) == all.end())
            throw bad_request(fmt::format("unknown parameter '{}'{}\nknown:{}", key,
                                          did_you_mean(key, all), known));
    }
}

/// Every combination of values, each once.
void combine(const workload_info& workload, const value_lists& lists, std::size_t index,
             parameter_values values, std::vector<parameter_values>& all) {
    if (index == workload.parameters.size()) {
        if (std::find(all.begin(), all.end(), values) == all.end())
            all.push_back(std::move(values));
        return;
    }
    const parameter& p = workload.parameters[index];
    if (p.applies && !p.applies(values)) {
        combine(workload, lists, index + 1, std::move(values), all);
        return;
    }
    for (const std::string& value : lists.at(p.name)) {
        values[p.name] = value;
        combine(workload, lists, index + 1, values, all);
    }
}

/// The subjects of one experiment; none where the ones asked for do not run with these values.
std::vector<const known_subject*> choose(const catalogue& all, const workload_info& workload,
                                         const parameter_values& values, const request& asked) {
    std::vector<const known_subject*> chosen;
    const auto runs_on = [&](const known_subject& s) {
        if (s.info.one_size && workload.one_size && !workload.one_size(values))
            return false;
        return std::find(s.workloads.begin(), s.workloads.end(), workload.name) !=
               s.workloads.end();
    };
    const auto add = [&](const known_subject& s) {
        if (std::find(chosen.begin(), chosen.end(), &s) == chosen.end())
            chosen.push_back(&s);
    };
    if (!asked.subjects.empty()) {
        for (const std::string& name : asked.subjects) {
            const known_subject& s = all.subject(name);
            if (runs_on(s))
                add(s);
        }
        return chosen;
    }
    static const std::vector<std::string> short_list{
        "arenite.ordered", "arenite.ordered-4k", "arenite.ordered.retain", "std",      "mimalloc",
        "mimalloc-4k",     "mimalloc-thp",       "mimalloc-retain",        "jemalloc", "tcmalloc"};
    const std::vector<std::string>* names = &workload.subjects;
    if (asked.in_short)
        names = workload.short_subjects.empty() ? &short_list : &workload.short_subjects;
    if (names->empty()) {
        for (const known_subject& s : all.subjects())
            if (runs_on(s) && !s.info.on_request)
                add(s);
    } else {
        for (const std::string& name : *names)
            if (const known_subject* s = all.find_subject(name); s != nullptr && runs_on(*s))
                add(*s);
    }
    return chosen;
}

[[noreturn]] void refuse_subjects(const catalogue& all, const workload_info& workload,
                                  const request& asked) {
    std::vector<std::string> takes;
    for (const known_subject& s : all.subjects())
        if (std::find(s.workloads.begin(), s.workloads.end(), workload.name) != s.workloads.end())
            takes.push_back(s.info.name +
                            (s.info.one_size && workload.one_size ? " (one size)" : ""));
    throw bad_request(
        fmt::format("{} does not run on {}{}; it runs on: {}", workload.name, join(asked.subjects),
                    asked.settings.empty() ? "" : " with " + join(asked.settings), join(takes)));
}

} // namespace

std::vector<experiment> plan(const catalogue& all, const request& asked) {
    std::vector<const workload_info*> workloads;
    for (const std::string& name : asked.workloads)
        workloads.push_back(&all.workload(name));
    const auto settings = parse_settings(asked.settings);
    check_known(settings, workloads);

    std::vector<experiment> experiments;
    for (const workload_info* w : workloads) {
        value_lists lists;
        for (const parameter& p : w->parameters) {
            const auto set = settings.find(p.name);
            if (set != settings.end())
                lists[p.name] = p.type == parameter::kind::text
                                    ? std::vector<std::string>{set->second}
                                    : split(set->second, ',');
            else if (asked.in_short && !p.short_values.empty())
                lists[p.name] = p.short_values;
            else if (asked.in_full && !p.full_values.empty())
                lists[p.name] = p.full_values;
            else
                lists[p.name] = p.defaults;
            for (const std::string& value : lists[p.name])
                check_value(*w, p, value);
        }
        const std::size_t planned = experiments.size();
        std::vector<parameter_values> combinations;
        combine(*w, lists, 0, {}, combinations);
        for (parameter_values& values : combinations) {
            auto subjects = choose(all, *w, values, asked);
            if (subjects.empty() && !asked.subjects.empty())
                continue;
            if (w->check)
                if (const auto wrong = w->check(values))
                    throw bad_request(fmt::format("{}: {}", w->name, *wrong));
            const int passes = asked.in_short ? w->short_warm_passes : w->warm_passes;
            experiments.push_back({w, std::move(values), std::move(subjects), asked.repeats,
                                   asked.warm_passes.value_or(passes)});
        }
        if (experiments.size() == planned)
            refuse_subjects(all, *w, asked);
    }
    return experiments;
}

} // namespace arenite::lab
