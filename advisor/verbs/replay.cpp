// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "../analysis/profile.hpp"
#include "../analysis/site_choices.hpp"
#include "../analysis/sites.hpp"
#include "../arguments.hpp"
#include "../record/program.hpp"
#include "../replay/runs.hpp"
#include "../verb.hpp"

#include <algorithm>
#include <array>
#include <fmt/core.h>

namespace arenite::advisor {
namespace {

using replay::outcome;
using replay::strategy;

struct named_strategy {
    std::string_view name;
    strategy how;
};
constexpr std::array strategies{
    named_strategy{"ordered", strategy::ordered}, named_strategy{"pools", strategy::pools},
    named_strategy{"linear", strategy::linear},   named_strategy{"frame", strategy::frame},
    named_strategy{"reserve", strategy::reserve}, named_strategy{"malloc", strategy::malloc},
};

strategy strategy_named(const std::string& name) {
    std::vector<std::string_view> names;
    for (const named_strategy& s : strategies) {
        if (s.name == name)
            return s.how;
        names.push_back(s.name);
    }
    const std::string_view meant = most_similar(name, names);
    throw bad_input(
        fmt::format("there is no strategy '{}'{}: ordered, pools, linear, frame, reserve "
                    "or malloc",
                    name, meant.empty() ? "" : fmt::format("; did you mean '{}'?", meant)));
}

void move_sites(replay_subject& to, const site_choices::choice& moved,
                const std::vector<site>& sites) {
    const strategy how = strategy_named(moved.kind);
    if (to.groups.size() == replay::most_groups)
        throw bad_input("no more groups than 63 can be moved at once");
    to.groups.push_back(how);
    const auto group = static_cast<std::uint8_t>(to.groups.size() - 1);
    for (const std::size_t i : moved.sites)
        for (const std::uint32_t s : sites[i].stacks) {
            if (s >= to.group_of_site.size())
                to.group_of_site.resize(s + std::size_t{1}, 0);
            to.group_of_site[s] = group;
        }
}

/// Memory that is freed all at once has to hold all that was ever allocated.
bool fits_linear(const replay::prepared_head& of) {
    return of.all_bytes <= of.peak_live_bytes * 8 + (std::uint64_t{256} << 20);
}

std::vector<replay_subject> chosen(const std::vector<std::string>& names,
                                   const replay::prepared_head& of) {
    const std::uint64_t sites = of.sites;
    std::vector<replay_subject> all = mallocs_here();
    for (const strategy how : {strategy::ordered, strategy::pools, strategy::linear})
        all.push_back(all_to(how, sites));
    if (names.empty()) {
        if (!fits_linear(of))
            all.pop_back();
        return all;
    }
    std::vector<replay_subject> some;
    std::vector<std::string_view> known;
    for (const replay_subject& s : all)
        known.push_back(s.name);
    for (const std::string& name : names) {
        const auto found = std::find_if(all.begin(), all.end(),
                                        [&](const replay_subject& s) { return s.name == name; });
        if (found == all.end()) {
            const std::string_view meant = most_similar(name, known);
            throw bad_input(
                fmt::format("there is no subject '{}' here{}", name,
                            meant.empty() ? "" : fmt::format("; did you mean '{}'?", meant)));
        }
        some.push_back(*found);
    }
    return some;
}

void print(const std::vector<replay_subject>& subjects, const std::vector<replayed>& results,
           const prepared_trace& trace, double floor) {
    const double events = double(trace.head().events);
    fmt::print("{:<16} {:>18} {:>8} {:>9} {:>10} {:>10} {:>10} {:>9}\n", "", "ns an event (spread)",
               "walk ns", "access ns", "faults", "peak", "peak/live", "after");
    for (std::size_t i = 0; i < subjects.size(); ++i) {
        const replayed& r = results[i];
        fmt::print("{:<16} {:>7.1f} ({:.1f}-{:.1f}) {:>8.2f} {:>9} {:>10} {:>10} {:>10.2f} {:>9}\n",
                   subjects[i].name, (r.median(&outcome::ns) - floor) / events,
                   (r.least(&outcome::ns) - floor) / events,
                   (r.most(&outcome::ns) - floor) / events, r.median(&outcome::walk_ns),
                   trace.head().bursts == 0 ? "-"
                                            : fmt::format("{:.1f}", r.median(&outcome::burst_ns)),
                   grouped(static_cast<std::size_t>(r.median(&outcome::faults))),
                   bytes_text(r.median(&outcome::peak_bytes)),
                   r.median(&outcome::peak_bytes) /
                       double(std::max<std::uint64_t>(1, trace.head().peak_live_bytes)),
                   bytes_text(r.median(&outcome::end_bytes)));
        if (r.least(&outcome::live_checks) != double(replay::points))
            fmt::print("  its live bytes are not those of the trace: do not trust this line\n");
    }
}

int replay_verb_runs(arguments& given) {
    std::string file;
    std::vector<std::string> names, what_if;
    std::string threads = "flat";
    unsigned turns = 5;
    given.operand("TRACE", file, "what `arenite record` wrote; also .ev and .atr files");
    given.option("--subject", names,
                 "malloc, mimalloc, jemalloc, tcmalloc, arenite-malloc, "
                 "arenite.ordered, arenite.pools or arenite.linear; default: "
                 "all there are");
    given.option("--what-if", what_if,
                 "SITE=KIND: move a call site (its name, #n of `arenite "
                 "show`, or all; once each) to ordered, pools, linear, frame (reset at "
                 "the program's marks) or reserve, and leave the rest in malloc");
    given.option("--turns", turns, "how often each subject is measured");
    given.option("--threads", threads,
                 "flat: one thread does what all did; recorded: each thread its own, and an object "
                 "is allocated before another frees it");
    given.read();
    if (threads != "flat" && threads != "recorded")
        throw bad_input(fmt::format("--threads {}: it is flat or recorded", threads));
    if (turns < 1 || turns > 1000)
        throw bad_input("--turns is not within 1 and 1000");
    const auto once = trace::open(file);
    const prepared_trace trace{*once, prepared_trace::most_events,
                               threads == "flat" ? replay_threads::merged
                                                 : replay_threads::recorded};
    if (const std::string damage = once->damage(); !damage.empty())
        fmt::print("the trace is damaged: {}\n", damage);
    std::vector<replay_subject> subjects =
        what_if.empty()
            ? chosen(names, trace.head())
            : chosen(names.empty() ? std::vector<std::string>{"malloc"} : names, trace.head());
    if (!what_if.empty()) {
        const auto again = trace::open(file);
        const profile p{*again};
        symbols from;
        replay_subject moved;
        moved.name = "what if";
        const std::vector<site> sites = sites_of(p, again->known(), from);
        site_choices choices{sites};
        for (const std::string& words : what_if)
            move_sites(moved, choices.choose("--what-if", words), sites);
        if (trace.head().marks == 0 && std::find(moved.groups.begin(), moved.groups.end(),
                                                 strategy::frame) != moved.groups.end())
            throw bad_input("nothing in the trace marks the end of a frame: ARENITE_FRAME() does");
        subjects.push_back(moved);
    }
    subjects.insert(subjects.begin(), replay_subject{});
    subjects[0].name = "nothing";
    subjects[0].groups = {strategy::nothing};
    fmt::print("{} events{}{}, live at most {}; {}; copies are made; medians "
               "of {} turn{}\n",
               grouped(static_cast<std::size_t>(trace.head().events)),
               trace.is_whole() ? "" : ", the first of a longer trace",
               trace.head().marks == 0
                   ? ""
                   : fmt::format(", {} of them marks",
                                 grouped(static_cast<std::size_t>(trace.head().marks))),
               bytes_text(double(trace.head().peak_live_bytes)),
               trace.head().threads == 1
                   ? std::string{"threads are merged into one"}
                   : fmt::format("{} threads as recorded", trace.head().threads),
               turns, turns == 1 ? "" : "s");
    if (const std::string sparse = trace.sparse_text(); !sparse.empty())
        fmt::print("{}\n", sparse);
    std::vector<replayed> results = replay_in_turns(trace, subjects, turns);
    const double floor = results[0].median(&outcome::ns);
    subjects.erase(subjects.begin());
    results.erase(results.begin());
    print(subjects, results, trace, floor);
    if (names.empty() && what_if.empty() && !fits_linear(trace.head()))
        fmt::print("arenite.linear is left out: nothing of it comes back before the end, {}\n",
                   bytes_text(double(trace.head().all_bytes)));
    fmt::print("ns an event without what replaying costs by itself, {:.1f}; walk: all live objects "
               "in order of birth, at eight {}\n",
               floor / double(trace.head().events),
               trace.head().marks > replay::points ? "marks" : "points");
    return 0;
}

} // namespace

extern const verb replay_verb;
const verb replay_verb{"replay", "what each malloc and strategy makes of a trace",
                       replay_verb_runs};

} // namespace arenite::advisor
