// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "json.hpp"

#include <cerrno>
#include <cstring>
#include <fmt/core.h>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

namespace arenite::lab {
namespace {

using nlohmann::json;

json of(const machine& m) {
    return {{"processor", m.processor},
            {"cores", m.cores},
            {"memory_bytes", m.memory_bytes},
            {"page_bytes", m.page_bytes},
            {"transparent_huge_pages", m.huge_pages},
            {"system", m.system},
            {"kernel", m.kernel},
            {"compiler", m.compiler},
            {"flags", m.flags},
            {"standard_library", m.standard_library},
            {"c_library", m.c_library},
            {"arenite", m.arenite},
            {"tick_source", m.tick_source},
            {"ticks_per_ns", m.ticks_per_ns},
            {"warnings", m.warnings}};
}

/// Whole numbers as numbers, all else as text.
json of(const experiment& e) {
    json values = json::object();
    for (const parameter& p : e.workload->parameters) {
        const auto found = e.values.find(p.name);
        if (found == e.values.end())
            continue;
        if (p.type == parameter::kind::integer)
            values[p.name] = std::stoll(found->second);
        else
            values[p.name] = found->second;
    }
    return values;
}

/// null where there is no figure.
json of(const std::optional<double>& value) { return value ? json(*value) : json(nullptr); }

} // namespace

output_file::output_file(std::filesystem::path path) : path_{std::move(path)} {
    const bool existed = std::filesystem::exists(path_);
    errno = 0;
    const std::ofstream opened{path_, std::ios::app};
    if (!opened)
        throw bad_request(fmt::format("cannot write {}: {}", path_.string(), std::strerror(errno)));
    if (!existed)
        std::filesystem::remove(path_); // nothing is left behind where nothing is measured
}

void output_file::write(const std::string& text) const {
    std::ofstream out{path_, std::ios::trunc | std::ios::binary};
    out << text;
    out.close();
    if (!out)
        throw std::runtime_error(fmt::format("could not write all of {}", path_.string()));
}

json read_results(const std::filesystem::path& path) {
    const std::string name = path.string();
    if (std::filesystem::is_directory(path))
        throw bad_request(fmt::format("cannot read {}: it is a directory", name));
    errno = 0;
    std::ifstream in{path, std::ios::binary};
    const std::string text{std::istreambuf_iterator<char>{in}, {}};
    if (!in && !in.eof())
        throw bad_request(
            fmt::format("cannot read {}: {}", name, std::strerror(errno != 0 ? errno : EIO)));
    if (text.find_first_not_of(" \t\r\n") == std::string::npos)
        throw bad_request(name + " is empty; arenite-lab run ... --json FILE writes such a file");
    const json read = json::parse(text, nullptr, false);
    if (read.is_discarded()) {
        throw bad_request(text[text.find_first_not_of(" \t\r\n")] == '{'
                              ? fmt::format("{} is cut off or damaged: its {} bytes are no whole "
                                            "JSON; measure again",
                                            name, text.size())
                              : name + " is no results file: it is not JSON");
    }
    for (const char* part : {"machine", "subjects", "workloads", "results", "failures"})
        if (!read.is_object() || !read.contains(part))
            throw bad_request(fmt::format("{} is JSON, but not of arenite-lab run ... --json: it "
                                          "has no '{}'",
                                          name, part));
    return read;
}

json results_json(const machine& m, const std::vector<experiment>& experiments,
                  const std::vector<outcome>& outcomes, const std::vector<seed_result>& seeds) {
    json workloads = json::object();
    for (const experiment& e : experiments)
        workloads[e.workload->name] = {{"summary", e.workload->summary},
                                       {"ours", e.workload->ours}};
    json subjects = json::object();
    for (const experiment& e : experiments)
        for (const known_subject* s : e.subjects)
            subjects[s->info.name] = {{"summary", s->info.summary},
                                      {"pages", s->info.pages},
                                      {"floor", s->info.floor},
                                      {"version", s->info.version},
                                      {"environment", json::object()}};
    for (const experiment& e : experiments)
        for (const known_subject* s : e.subjects)
            for (const auto& [name, value] : s->info.environment)
                subjects[s->info.name]["environment"][name] = value;

    json results = json::array();
    json failures = json::array();
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
        const experiment& e = experiments[i];
        for (const result& r : outcomes[i].results)
            results.push_back({{"workload", e.workload->name},
                               {"subject", r.subject},
                               {"parameters", of(e)},
                               {"metric", r.metric},
                               {"unit", r.unit},
                               {"state", r.state},
                               {"compared", r.compared},
                               {"median", r.median()},
                               {"min", r.least()},
                               {"max", r.most()},
                               {"repeats", r.values.size()}});
        for (const failure& f : outcomes[i].failures)
            failures.push_back({{"workload", e.workload->name},
                                {"subject", f.subject},
                                {"parameters", of(e)},
                                {"what", f.what}});
    }
    json maps = json::array();
    for (std::size_t i = 0; i < outcomes.size(); ++i)
        for (const subject_maps& of_subject : outcomes[i].maps)
            maps.push_back({{"workload", experiments[i].workload->name},
                            {"subject", of_subject.subject},
                            {"parameters", of(experiments[i])},
                            {"maps", json::parse(of_subject.json)}});
    json all{{"machine", of(m)},
             {"subjects", subjects},
             {"workloads", workloads},
             {"results", results},
             {"failures", failures}};
    if (!maps.empty())
        all["maps"] = maps;
    for (const seed_result& s : seeds) {
        all["seeds"].push_back({{"document", s.row.document},
                                {"row", s.row.row},
                                {"quantity", s.row.quantity},
                                {"says", of(s.row.says)},
                                {"cold", of(s.cold)},
                                {"warm", of(s.warm)}});
        if (!s.why.empty())
            all["seeds"].back()["why"] = s.why;
    }
    return all;
}

} // namespace arenite::lab
