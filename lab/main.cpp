// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "report/html.hpp"
#include "report/json.hpp"
#include "report/machine.hpp"
#include "report/seeds.hpp"
#include "report/table.hpp"
#include "run/child.hpp"
#include "run/experiment.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fmt/core.h>
#include <nlohmann/json.hpp>
#include <optional>

namespace arenite::lab {
namespace {

void list(const catalogue& all) {
    fmt::print("Workloads (arenite-lab run NAME...)\n");
    for (const workload_info& w : all.workloads()) {
        fmt::print("  {:<23} {}\n", w.name, w.summary);
        for (const parameter& p : w.parameters) {
            std::string values;
            if (p.type == parameter::kind::choice)
                values = join(p.choices, "|");
            else if (p.type == parameter::kind::integer)
                values = fmt::format("{}..{}", p.least, p.most);
            fmt::print("    --set {}={}  {}{}\n", p.name, join(p.defaults, ","), p.summary,
                       values.empty() ? "" : fmt::format(" [{}]", values));
        }
    }
    fmt::print("  {:<23} {}\n", "seeds", "what the seed documents measured, measured here");
    fmt::print("\nSubjects (--subject NAME; without it, all but those in brackets)\n");
    for (const known_subject& s : all.subjects())
        fmt::print("  {:<30} {:<5} {:<16} {}\n",
                   s.info.on_request ? "(" + s.info.name + ")" : s.info.name, s.info.pages,
                   s.info.version, s.info.summary);
    for (const missing_library& m : all.missing())
        fmt::print("  {} is not available: {}\n", m.name, m.why);
}

void write_report(const nlohmann::json& results, const output_file& to) {
    to.write(html_report(results));
    fmt::print("The report: {}\n", std::filesystem::absolute(to.path()).string());
}

/// Where results go besides the terminal; empty: nowhere.
struct output_paths {
    std::string json, report;
};

int run(const catalogue& all, const request& asked, const output_paths& paths) {
    const bool seeds =
        std::find(asked.workloads.begin(), asked.workloads.end(), "seeds") != asked.workloads.end();
    if (seeds && (asked.workloads.size() > 1 || !asked.subjects.empty() || !asked.settings.empty()))
        throw bad_request("seeds is run alone: its tables say which workload, parameters and "
                          "subjects they need");
    if (asked.tiny && !seeds)
        throw bad_request("--tiny is for seeds; other workloads have --set");
    std::vector<seed_row> rows;
    if (seeds)
        rows = seed_rows(asked.in_full ? seed_scale::full
                         : asked.tiny  ? seed_scale::tiny
                                       : seed_scale::quick);
    const std::vector<experiment> experiments =
        seeds ? seed_experiments(all, rows, asked.repeats) : plan(all, asked);
    std::optional<output_file> json, report;
    if (!paths.json.empty())
        json.emplace(paths.json);
    if (!paths.report.empty())
        report.emplace(paths.report);

    const machine m = describe_machine();
    fmt::print("{}\n{}\n", describe(m), describe(experiments));
    std::fflush(stdout);
    std::vector<outcome> outcomes;
    bool failed = false;
    for (const experiment& e : experiments) {
        outcomes.push_back(measure(e));
        failed = failed || !outcomes.back().failures.empty();
        if (json || report)
            add_maps(e, outcomes.back());
        if (!seeds || !outcomes.back().failures.empty())
            fmt::print("{}\n", table(e, outcomes.back()));
        std::fflush(stdout);
    }
    std::vector<seed_result> of_seeds;
    if (seeds) {
        of_seeds = seed_results(rows, outcomes);
        fmt::print("{}\n", seed_table(of_seeds));
    }
    const nlohmann::json results = results_json(m, experiments, outcomes, of_seeds);
    if (json)
        json->write(results.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
    if (report)
        write_report(results, *report);
    return failed ? 1 : 0;
}

/// From a file that --json wrote.
int report(const std::string& results_path, const std::string& report_path) {
    const nlohmann::json results = read_results(results_path);
    const output_file to{report_path};
    try {
        write_report(results, to);
    } catch (const bad_request& e) {
        throw bad_request(results_path + ": " + e.what());
    }
    return 0;
}

int main_of(int argc, char** argv) {
    CLI::App app{"Measures allocators on this machine: subject x workload x probe.", "arenite-lab"};
    app.require_subcommand(1);
    request asked;
    output_paths paths;
    std::string results_path;

    CLI::App* listing = app.add_subcommand("list", "workloads, their parameters, and subjects");
    CLI::App* running = app.add_subcommand("run", "measure, print tables");
    running
        ->add_option("WORKLOAD", asked.workloads,
                     "one or several, or `seeds`: the tables of the seed documents")
        ->required();
    running->add_option("--set", asked.settings, "KEY=VALUE[,VALUE]..., a parameter of a workload")
        ->allow_extra_args(false);
    running
        ->add_option("--warm", asked.warm_passes, "warm passes a turn (each workload has its own)")
        ->check(CLI::Range(0, 1000));
    running->add_flag("--full", asked.in_full,
                      "the seeds' sizes where a workload's own are smaller: hours");
    running->add_flag("--tiny", asked.tiny, "of seeds: sizes that only show that it works")
        ->excludes("--full");
    CLI::App* in_short =
        app.add_subcommand("short", "the short form of the workloads: under three minutes");
    for (CLI::App* command : {running, in_short}) {
        command->add_option("--subject", asked.subjects, "only this one; may be repeated")
            ->allow_extra_args(false);
        command->add_option("--repeat", asked.repeats, "turns of each subject (7; short: 3)")
            ->check(CLI::Range(1, 1000));
        command->add_option("--json", paths.json, "write the results to this file");
        command->add_option("--report", paths.report,
                            "write a page with plots and maps of memory to this file");
    }
    CLI::App* reporting =
        app.add_subcommand("report", "a page with plots of what --json wrote before");
    reporting->add_option("RESULTS", results_path, "a file that --json wrote")->required();
    reporting->add_option("--report", paths.report, "the page to write")->required();
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& e) {
        return app.exit(e) == 0 ? 0 : 2;
    }

    if (reporting->parsed())
        return report(results_path, paths.report);
    const catalogue all;
    if (listing->parsed()) {
        list(all);
        return 0;
    }
    if (in_short->parsed()) {
        asked.in_short = true;
        if (in_short->count("--repeat") == 0)
            asked.repeats = 3;
        for (const workload_info& w : all.workloads())
            if (w.in_short)
                asked.workloads.push_back(w.name);
    }
    return run(all, asked, paths);
}

} // namespace
} // namespace arenite::lab

int main(int argc, char** argv) {
    if (arenite::lab::is_child(argc, argv))
        return arenite::lab::child_main(argc, argv);
    try {
        return arenite::lab::main_of(argc, argv);
    } catch (const arenite::lab::bad_request& e) {
        fmt::print(stderr, "arenite-lab: {}\n", e.what());
        return 2;
    } catch (const std::exception& e) {
        fmt::print(stderr, "arenite-lab: {}\n", e.what());
        return 1;
    }
}
