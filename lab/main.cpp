// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "report/drift.hpp"
#include "report/html.hpp"
#include "report/json.hpp"
#include "report/machine.hpp"
#include "report/picture.hpp"
#include "report/seeds.hpp"
#include "report/table.hpp"
#include "report/verdict.hpp"
#include "run/child.hpp"
#include "run/experiment.hpp"
#include "run/nearest.hpp"

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

/// An address that a terminal makes a link of.
std::string link_to(const std::filesystem::path& file) {
    std::string address = "file://";
    for (const char letter : std::filesystem::absolute(file).lexically_normal().string()) {
        const auto code = static_cast<unsigned char>(letter);
        if (code <= ' ' || code >= 127 || letter == '%' || letter == '#' || letter == '?')
            address += fmt::format("%{:02X}", code);
        else
            address += letter;
    }
    return address;
}

void write_report(const nlohmann::json& results, const output_file& to) {
    to.write(html_report(results));
    fmt::print("The report: {}\n", link_to(to.path()));
}

/// The kind of output, and where results go besides the terminal; empty: nowhere.
struct output_wishes {
    std::string json, report;
    bool tables = true;
};

int run(const catalogue& all, const request& asked, const output_wishes& wishes) {
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
        seeds ? seed_experiments(all, rows, asked) : plan(all, asked);
    std::optional<output_file> json, report;
    if (!wishes.json.empty())
        json.emplace(wishes.json);
    if (!wishes.report.empty())
        report.emplace(wishes.report);

    const machine m = describe_machine();
    fmt::print("{}\n", describe(m));
    if (wishes.tables)
        fmt::print("{}\n", describe(experiments));
    std::fflush(stdout);
    std::vector<outcome> outcomes;
    bool failed = false;
    for (const experiment& e : experiments) {
        outcomes.push_back(
            measure(e, fmt::format("{}/{} ", outcomes.size() + 1, experiments.size())));
        failed = failed || !outcomes.back().failures.empty();
        if (json || report)
            add_maps(e, outcomes.back());
        if ((!seeds && wishes.tables) || !outcomes.back().failures.empty())
            fmt::print("{}\n", table(e, outcomes.back()));
        std::fflush(stdout);
    }
    std::vector<seed_result> of_seeds;
    if (seeds) {
        of_seeds = seed_results(rows, outcomes);
        fmt::print("{}\n", seed_table(of_seeds));
    }
    const nlohmann::json results = results_json(m, experiments, outcomes, of_seeds);
    for (const std::string& line : lines_of(verdicts_of(results)))
        fmt::print("{}\n", line);
    if (json)
        json->write(results.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
    if (report)
        write_report(results, *report);
    return failed ? 1 : 0;
}

/// From a file that --json wrote.
int report(const std::string& results_path, const output_wishes& wishes,
           const std::string& picture_path) {
    const nlohmann::json results = read_results(results_path);
    try {
        std::optional<output_file> page, picture;
        if (!wishes.report.empty())
            page.emplace(wishes.report);
        if (!picture_path.empty())
            picture.emplace(picture_path);
        if (picture)
            picture->write(picture_svg(results));
        for (const std::string& line : lines_of(verdicts_of(results)))
            fmt::print("{}\n", line);
        if (page)
            write_report(results, *page);
    } catch (const bad_request& e) {
        throw bad_request(results_path + ": " + e.what());
    } catch (const nlohmann::json::exception& e) {
        throw bad_request(results_path +
                          ": the results are not as arenite-lab writes them: " + e.what());
    }
    return 0;
}

/// The program's own record, by ours, the newest mimalloc and the system's malloc.
request replay_of(const catalogue& all, const std::string& file, int repeats) {
    request asked{.workloads = {"trace/replay"}, .settings = {"file=" + file}, .repeats = repeats};
    asked.warm_passes = 0;
    asked.subjects = {"arenite.ordered"};
    for (const char* name : {"mimalloc", "std"})
        if (all.find_subject(name) != nullptr)
            asked.subjects.emplace_back(name);
    return asked;
}

int main_of(int argc, char** argv) {
    CLI::App app{"Measures allocators on this machine: subject x workload x probe.", "arenite-lab"};
    app.require_subcommand(1);
    request asked;
    output_wishes wishes;
    std::string results_path, after_path, picture_path, record_path;
    int replay_repeats = 3;

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
        command->add_option("--json", wishes.json, "write the results to this file");
        command->add_option("--report", wishes.report,
                            "write a page with plots and maps of memory to this file");
    }
    bool with_tables = false;
    in_short->add_flag("--tables", with_tables, "print them, too, where a page is written");
    CLI::App* replaying = app.add_subcommand(
        "replay", "a program that you recorded, by ours, mimalloc and malloc: seconds");
    replaying->add_option("RECORD", record_path, "what a recording_resource wrote")->required();
    replaying->add_option("--repeat", replay_repeats, "turns of each subject (3)")
        ->check(CLI::Range(1, 1000));
    replaying->add_option("--json", wishes.json, "write the results to this file");
    replaying->add_option("--report", wishes.report, "write a page with plots to this file");
    CLI::App* reporting =
        app.add_subcommand("report", "the verdict, and a page, of what --json wrote before");
    reporting->add_option("RESULTS", results_path, "a file that --json wrote")->required();
    reporting->add_option("--report", wishes.report, "the page to write");
    reporting->add_option("--picture", picture_path, "an .svg to write: where the nodes lie");
    CLI::App* comparing =
        app.add_subcommand("compare", "what changed between two runs of the same work");
    comparing->add_option("BEFORE", results_path, "a file that --json wrote")->required();
    comparing->add_option("AFTER", after_path, "a file that --json wrote")->required();
    if (argc > 1 && argv[1][0] != '-') {
        const std::vector<std::string> commands{"list",   "run",    "short",
                                                "replay", "report", "compare"};
        if (std::find(commands.begin(), commands.end(), argv[1]) == commands.end())
            throw bad_request(fmt::format("knows no '{}'{}\nknown: {}", argv[1],
                                          did_you_mean(argv[1], commands), join(commands)));
    }
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& e) {
        return app.exit(e) == 0 ? 0 : 2;
    }

    if (reporting->parsed())
        return report(results_path, wishes, picture_path);
    if (comparing->parsed()) {
        fmt::print("{}", drift_of(read_results(results_path), read_results(after_path)));
        return 0;
    }
    const catalogue all;
    if (listing->parsed()) {
        list(all);
        return 0;
    }
    if (replaying->parsed())
        return run(all, replay_of(all, record_path, replay_repeats), wishes);
    if (in_short->parsed()) {
        wishes.tables = wishes.report.empty() || with_tables;
        asked.in_short = true;
        if (in_short->count("--repeat") == 0)
            asked.repeats = 3;
        for (const workload_info& w : all.workloads())
            if (w.in_short)
                asked.workloads.push_back(w.name);
    }
    return run(all, asked, wishes);
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
