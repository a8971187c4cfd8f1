// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "../prove/prove.hpp"
#include "../analysis/advise.hpp"
#include "../analysis/site_choices.hpp"
#include "../arguments.hpp"
#include "../record/program.hpp"
#include "../verb.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/core.h>
#include <unistd.h>

namespace arenite::advisor {
namespace {

using prove::heap_kind;

heap_kind kind_of(remedy what) {
    switch (what) {
    case remedy::scratch:
    case remedy::linear:
    case remedy::frame: // the proof sees no marks: its memory is reset when nothing of it lives
        return heap_kind::linear;
    case remedy::pool:
    case remedy::pooled_container:
        return heap_kind::pools;
    case remedy::ordered:
        return heap_kind::ordered;
    case remedy::grow_by_doubling:
        break;
    }
    return heap_kind::none;
}

routed_group route(site_choices::choice chosen) {
    const std::string& kind = chosen.kind;
    routed_group g{kind == "ordered"  ? heap_kind::ordered
                   : kind == "pools"  ? heap_kind::pools
                   : kind == "linear" ? heap_kind::linear
                                      : heap_kind::none,
                   std::move(chosen.sites)};
    if (g.kind == heap_kind::none)
        throw bad_input(fmt::format("there is no heap '{}': ordered, pools or linear", kind));
    return g;
}

/// The advice that a library can apply to a program as it is.
std::vector<routed_group> groups_of(const advice_report& r, const std::vector<unsigned>& wanted) {
    std::vector<routed_group> groups;
    for (unsigned n = 1; n <= r.advised.size(); ++n) {
        const candidate& c = r.advised[n - 1].proposed;
        if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), n) == wanted.end())
            continue;
        if (const heap_kind kind = kind_of(c.what); kind != heap_kind::none)
            groups.push_back({kind, c.sites});
        else
            fmt::print("advice {} is about the program's own copies: no heap can prove it\n", n);
    }
    return groups;
}

void print(const proof& p) {
    const proof_run &off = p.runs[0], &on = p.runs[1], &native = p.runs[2];
    const double before = off.median(&proof_run::cpu_seconds);
    const double after = on.median(&proof_run::cpu_seconds);
    const double spread = off.spread_of_cpu() + on.spread_of_cpu();
    const double gain = before > 0 ? 100 * (before - after) / before : 0;
    const std::string differ =
        fmt::format("turns differ by {:.1f}", 100 * spread / std::max(before, 1e-9));
    if (!p.not_proven.empty())
        fmt::print("not proven: {}\n", p.not_proven);
    else if (on.cpu_seconds.size() < 2)
        fmt::print("not proven: {:+.1f} % of the CPU time in one turn: no spread known\n", -gain);
    else if (before - after > spread)
        fmt::print("proven: {:.1f} % of the CPU time ({})\n", gain, differ);
    else if (after - before > spread)
        fmt::print("not proven: it costs {:.1f} % of the CPU time ({})\n", -gain, differ);
    else
        fmt::print("not proven: {:+.1f} % of the CPU time is within what turns differ by ({})\n",
                   -gain, differ);
    for (const proof_run& r : p.runs)
        fmt::print(
            "  {:<16} {:>8.3f} s of CPU time, {:.2f} of the program as it is; {} resident, {} "
            "page faults\n",
            r.name, r.median(&proof_run::cpu_seconds),
            r.median(&proof_run::cpu_seconds) /
                std::max(native.median(&proof_run::cpu_seconds), 1e-9),
            bytes_text(r.median(&proof_run::peak_bytes)),
            grouped(static_cast<std::size_t>(r.median(&proof_run::faults))));
    fmt::print(
        "{} allocations were served by the heaps, {} given back; {} went to malloc instead\n",
        grouped(static_cast<std::size_t>(p.taken)), grouped(static_cast<std::size_t>(p.given)),
        grouped(static_cast<std::size_t>(p.refused)));
}

int prove_verb_runs(arguments& given) {
    std::string trace, compared;
    std::vector<std::string> advice_numbers, routes;
    unsigned turns = 7;
    given.operand("TRACE", trace, "what `arenite record` wrote of this program");
    given.option("--advice", advice_numbers, "only this one of `arenite advise`, by its number");
    given.option("--route", routes,
                 "SITE=KIND: serve a call site, once each, by ordered, pools or linear, "
                 "whatever the advice is");
    given.option("--turns", turns, "how often each way is measured");
    given.option("--compare", compared,
                 "a file that the program writes, removed before each run: it must stay the same");
    given.read();
    if (turns < 1 || turns > 1000)
        throw bad_input("--turns is not within 1 and 1000");
    if (!advice_numbers.empty() && !routes.empty())
        throw bad_input("--advice and --route: one of them says what is proven");
    const std::vector<std::string>& program = given.required_program();
    (void)find_program_to_preload(program[0]);

    const auto from = trace::open(trace);
    advice_report report;
    std::vector<routed_group> groups;
    std::vector<site> sites;
    if (routes.empty()) {
        std::vector<unsigned> wanted;
        for (const std::string& n : advice_numbers) {
            unsigned number = 0;
            const auto [end, error] = std::from_chars(n.data(), n.data() + n.size(), number);
            if (error != std::errc{} || end != n.data() + n.size() || number == 0)
                throw bad_input("--advice " + n + " is no number of an advice");
            wanted.push_back(number);
        }
        report = advise_on(trace, {.turns = 3});
        for (const unsigned n : wanted)
            if (n > report.advised.size())
                throw bad_input(fmt::format("there is no advice {}: `arenite advise` gives {}", n,
                                            report.advised.size()));
        groups = groups_of(report, wanted);
        sites = report.sites;
        if (groups.empty()) {
            fmt::print("there is no advice to prove: {}\n", report.first_line);
            return 0;
        }
        (void)profile{*from}; // its tables are needed
    } else {
        symbols names;
        sites = sites_of(profile{*from}, from->known(), names);
        site_choices choices{sites};
        for (const std::string& words : routes)
            groups.push_back(route(choices.choose("--route", words)));
    }
    const proof p = prove_plan(make_plan(groups, sites, from->known()), program, turns, compared);
    print(p);
    return 0;
}

} // namespace

extern const verb prove_verb;
const verb prove_verb{"prove", "run the program with advised call sites served by Arenite's heaps",
                      prove_verb_runs};

} // namespace arenite::advisor
