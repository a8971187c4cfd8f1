// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "advise.hpp"

#include "../record/program.hpp"
#include "../replay/runs.hpp"

#include <algorithm>
#include <arenite/report/detail/text.hpp>
#include <cmath>
#include <cstdlib>
#include <fmt/core.h>
#include <set>
#include <unistd.h>

namespace arenite::advisor {
namespace {

using replay::outcome;
using replay::strategy;

double number(const trace::tables& known, const char* key) {
    return std::strtod(known.word(key).c_str(), nullptr);
}

void move(replay_subject& to, const candidate& c, const std::vector<site>& sites) {
    to.groups.push_back(c.how());
    const auto group = static_cast<std::uint8_t>(to.groups.size() - 1);
    for (const std::size_t i : c.sites)
        for (const std::uint32_t s : sites[i].stacks) {
            if (s >= to.group_of_site.size())
                to.group_of_site.resize(s + std::size_t{1}, 0);
            to.group_of_site[s] = group;
        }
}

replay_subject subject_of(const candidate& c, const std::vector<site>& sites) {
    replay_subject s;
    s.name = word_of(c.what);
    move(s, c, sites);
    return s;
}

// With fewer it is chance which objects were met.
constexpr std::uint64_t least_samples = 20, least_bursts = 8;
constexpr double least_watched_frees = 20;

/// A program whose objects all fit into this does not wait for memory.
double cache_bytes() {
    const long told = ::sysconf(_SC_LEVEL2_CACHE_SIZE);
    return told > 0 ? double(told) : 1 << 20;
}

/// Memory for objects that die together holds the dead ones, too: that may not be much more.
bool holds_too_much(const advice& a) { return a.held_bytes > 2 * a.group_peak_bytes + (1 << 20); }

/// False for a change that would be too much to try.
bool can_be_tried(const candidate& c, const std::vector<site>& sites) {
    if (c.what != remedy::linear)
        return true; // it is reset at each mark, and bounded by most_outlived
    double all = 0, peak = 0;
    for (const std::size_t i : c.sites) {
        all += double(sites[i].sum.bytes);
        peak += double(sites[i].sum.peak_bytes);
    }
    return all <= 32 * peak + (1 << 30);
}

program_costs costs_of(const trace::tables& known, const profile& recorded,
                       const replay::prepared_head& prepared) {
    program_costs costs{number(known, "cpu_ms") * 1e6, number(known, "peak_resident_bytes")};
    const touches& t = recorded.touched();
    const double samples = double(t.samples()) + number(known, "samples_in_calls");
    // The program's own: less what recording took of it.
    if (!known.word("recorder_us").empty()) {
        costs.cpu_ns = std::max(0.0, costs.cpu_ns - number(known, "bursts_ms") * 1e6 -
                                         number(known, "recorder_us") * 1e3);
    } else if (samples >= double(least_samples)) { // a trace of before: by samples, or not at all
        const double ours = number(known, "samples_of_malloc");
        costs.cpu_ns = std::max(0.0, costs.cpu_ns - number(known, "bursts_ms") * 1e6) * samples /
                       (samples + ours);
    }
    if (samples >= double(least_samples) && prepared.bursts >= least_bursts &&
        double(prepared.peak_live_bytes) > cache_bytes())
        costs.share_in_objects = double(t.samples_in_objects()) / samples;
    costs.observed = samples >= double(least_samples);
    costs.no_share_in_objects = !costs.observed || prepared.bursts < least_bursts
                                    ? "too little was observed"
                                : double(prepared.peak_live_bytes) <= cache_bytes()
                                    ? "all objects fit into a cache"
                                    : "no sample found it at work on its objects";
    if (const double n = double(t.watched_frees()); n >= least_watched_frees) {
        const double read = double(t.frees_of_used()) / n;
        costs.knows_reads = true;
        costs.reads_what_it_frees = read;
        // Twice the standard error; where all were alike, that of one that was not.
        const double apart = std::max(read * (1 - read), 1 / n);
        costs.reads_spread = 2 * std::sqrt(apart / n);
    }
    if (costs.peak_bytes == 0)
        costs.peak_bytes = double(prepared.peak_live_bytes);
    return costs;
}

/// Replays the advice, and the other mallocs, without a read of each object before its free: frees
/// that do not look at objects gain then.
void try_unread(advice_report& r, const prepared_trace& prepared,
                const std::vector<replay_subject>& mallocs, const advise_options& how) {
    std::vector<replay_subject> subjects = mallocs;
    std::vector<difference_made*> differences;
    for (other_malloc& m : r.mallocs)
        differences.push_back(&m.difference);
    replay_subject together;
    together.name = "all";
    for (advice& a : r.advised) {
        subjects.push_back(subject_of(a.proposed, r.sites));
        differences.push_back(&a.difference);
        move(together, a.proposed, r.sites);
    }
    if (r.advised.size() > 1) {
        subjects.push_back(together);
        differences.push_back(&r.all_advised);
    }
    for (replay_subject& s : subjects)
        s.reads_what_it_frees = false;
    how.step("replaying without reads");
    const std::vector<replayed> results = how.replay(prepared, subjects, how.turns, [] {});
    for (std::size_t i = 0; i < differences.size(); ++i) {
        differences[i]->saved_unread_ns =
            results[0].median(&outcome::ns) - results[i + 1].median(&outcome::ns);
        differences[i]->tried_unread = true;
    }
    if (r.advised.size() == 1)
        r.all_advised = r.advised[0].difference;
}

/// A call site gets one advice: the first.
void choose(advice_report& r) {
    std::vector<advice> all;
    all.swap(r.tried);
    std::stable_sort(all.begin(), all.end(),
                     [&](const advice& a, const advice& b) { return comes_before(a, b, r.costs); });
    std::set<std::size_t> taken;
    for (advice& a : all) {
        const bool overlaps = std::any_of(a.proposed.sites.begin(), a.proposed.sites.end(),
                                          [&](std::size_t s) { return taken.contains(s); });
        if (a.is_worth == worth::nothing || a.too_dear || overlaps) {
            r.tried.push_back(std::move(a));
            continue;
        }
        taken.insert(a.proposed.sites.begin(), a.proposed.sites.end());
        r.advised.push_back(std::move(a));
    }
}

} // namespace

bool comes_before(const advice& a, const advice& b, const program_costs& of) {
    const bool grows_a = a.proposed.what == remedy::grow_by_doubling;
    const bool grows_b = b.proposed.what == remedy::grow_by_doubling;
    if (of.cpu_ns <= 0 && grows_a != grows_b)
        return grows_a;
    const auto is_guess = [](const advice& x) {
        return x.is_worth == worth::walks && x.difference.burst_before <= 0;
    };
    if (is_guess(a) != is_guess(b))
        return is_guess(b);
    const double saved_a = saved_in_all(a.difference, of);
    const double saved_b = saved_in_all(b.difference, of);
    return saved_a != saved_b ? saved_a > saved_b : grows_a && !grows_b;
}

advice_report advise_on(const std::string& trace, const advise_options& how) {
    advice_report r;
    symbols names;
    how.step("reading");
    const auto from = trace::open(trace);
    r.recorded = std::make_unique<profile>(*from);
    r.damage = from->damage();
    r.sites = sites_of(*r.recorded, from->known(), names);
    r.program = shown_word(from->known(), "program");
    r.fewer_frames = fewer_frames_text(from->known());
    if (const std::string end = shown_word(from->known(), "end");
        end.starts_with("signal") || (end.starts_with("exit") && end != "exit 0"))
        r.ended_badly = end;
    const auto again = trace::open(trace);
    const prepared_trace prepared{*again};
    r.sparse = prepared.sparse_text();
    r.events = double(prepared.head().events);
    r.costs = costs_of(from->known(), *r.recorded, prepared.head());
    r.costs_are_native = how.native_cpu_ns > 0;
    if (how.native_cpu_ns > 0)
        r.costs.cpu_ns = how.native_cpu_ns;
    if (!prepared.is_whole()) // it is judged by the time of that part
        r.costs.replayed_share = std::min(1.0, r.events / double(r.recorded->events()));
    r.costs.cpu_ns *= r.costs.replayed_share;

    std::vector<replay_subject> subjects(1);
    subjects[0].name = "nothing";
    subjects[0].groups = {strategy::nothing};
    const std::vector<replay_subject> mallocs = mallocs_here();
    subjects.insert(subjects.end(), mallocs.begin(), mallocs.end());
    const std::size_t first = subjects.size();
    std::vector<candidate> candidates = find_candidates(*r.recorded, r.sites);
    std::erase_if(candidates, [&](const candidate& c) { return !can_be_tried(c, r.sites); });
    for (const candidate& c : candidates)
        subjects.push_back(subject_of(c, r.sites));
    std::size_t done = 0;
    const auto told = [&] {
        ++done;
        how.step(fmt::format("replaying {} of {}", done, subjects.size() * how.turns));
    };
    const std::vector<replayed> results = how.replay(prepared, subjects, how.turns, told);
    const replayed& base = results[1];
    r.floor_ns = results[0].median(&outcome::ns);
    r.malloc_ns = base.median(&outcome::ns) - r.floor_ns;
    r.costs.take_replay_time_if_unknown(base.median(&outcome::ns));
    for (std::size_t i = 2; i < first; ++i) {
        const difference_made d = compare(base, results[i]);
        r.mallocs.push_back({subjects[i].name, d, judge(d, r.costs), subjects[i].preload});
    }
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        const replayed& moved = results[first + i];
        advice a;
        a.proposed = candidates[i];
        a.difference = compare(base, moved);
        a.is_worth = judge(a.difference, r.costs);
        a.held_bytes = moved.median(&outcome::held_bytes);
        for (const std::size_t s : candidates[i].sites)
            a.group_peak_bytes += double(r.sites[s].sum.peak_bytes);
        a.too_dear = holds_too_much(a);
        r.tried.push_back(std::move(a));
    }
    choose(r);
    r.path.stacks = prepared.stacks_of_path();
    r.path.before = base.path;
    if (r.advised.size() > 1) {
        how.step("replaying all advice together");
        replay_subject together;
        together.name = "all";
        for (const advice& a : r.advised)
            move(together, a.proposed, r.sites);
        const auto both = how.replay(prepared, {mallocs[0], together}, how.turns, [] {});
        r.all_advised = compare(both[0], both[1]);
        r.path.after = both[1].path;
    } else if (!r.advised.empty()) {
        r.all_advised = r.advised[0].difference;
        for (std::size_t i = 0; i < candidates.size(); ++i)
            if (candidates[i].what == r.advised[0].proposed.what &&
                candidates[i].sites == r.advised[0].proposed.sites)
                r.path.after = results[first + i].path;
    }
    const auto is_worth_it = [](const other_malloc& m) { return m.is_worth != worth::nothing; };
    if (!r.advised.empty() || std::any_of(r.mallocs.begin(), r.mallocs.end(), is_worth_it))
        try_unread(r, prepared, mallocs, how);
    r.first_line = first_line_of(r);
    if (!r.costs_are_native && r.costs.cpu_is_known && !r.first_line.starts_with("no verdict"))
        r.first_line += "; the recording slowed the program, so true shares are larger as a rule: "
                        "`arenite advise -- program` tells them";
    return r;
}

void test_on(advice_report& r, const std::string& trace, const advise_options& how) {
    symbols names;
    how.step("reading the other recording");
    const auto from = trace::open(trace);
    const profile recorded{*from};
    const std::vector<site> sites = sites_of(recorded, from->known(), names);
    const auto again = trace::open(trace);
    const prepared_trace prepared{*again};
    program_costs costs = costs_of(from->known(), recorded, prepared.head());
    if (!prepared.is_whole())
        costs.cpu_ns *= std::min(1.0, double(prepared.head().events) / double(recorded.events()));
    std::vector<replay_subject> subjects{mallocs_here()[0]};
    for (advice& a : r.advised) {
        candidate there{a.proposed.what, {}};
        for (const std::size_t wanted : a.proposed.sites)
            for (std::size_t i = 0; i < sites.size(); ++i)
                if (sites[i].name == r.sites[wanted].name &&
                    sites[i].place == r.sites[wanted].place &&
                    sites[i].container == r.sites[wanted].container)
                    there.sites.push_back(i);
        a.tested.emplace();
        a.tested->sites_found = there.sites.size();
        subjects.push_back(subject_of(there, sites));
    }
    std::size_t done = 0;
    const std::vector<replayed> results = how.replay(prepared, subjects, how.turns, [&] {
        ++done;
        how.step(fmt::format("testing {} of {}", done, subjects.size() * how.turns));
    });
    costs.take_replay_time_if_unknown(results[0].median(&outcome::ns));
    for (std::size_t i = 0; i < r.advised.size(); ++i) {
        tested_advice& t = *r.advised[i].tested;
        t.costs = costs;
        t.difference = compare(results[0], results[i + 1]);
        t.is_worth = judge(t.difference, costs);
    }
}

std::string overlap_text(const advice_report& r, const advice& left) {
    for (std::size_t i = 0; i < r.advised.size(); ++i) {
        const std::vector<std::size_t>& taken = r.advised[i].proposed.sites;
        const auto is_taken = [&](std::size_t s) {
            return std::find(taken.begin(), taken.end(), s) != taken.end();
        };
        const std::vector<std::size_t>& own = left.proposed.sites;
        if (std::any_of(own.begin(), own.end(), is_taken))
            return fmt::format("{} advice {}",
                               std::all_of(own.begin(), own.end(), is_taken)
                                   ? "part of"
                                   : "it shares call sites with",
                               i + 1);
    }
    return {};
}

namespace {

/// Why the replays say nothing of the program; empty: they may be believed.
std::string doubt_of(const advice_report& r, double most_saved) {
    if (r.costs.cpu_ns <= 0)
        return {};
    const double taken = r.malloc_ns / r.costs.cpu_ns, saved = most_saved / r.costs.cpu_ns;
    if (taken > 1 || (taken < 0 && saved > 0))
        return fmt::format("no verdict: in replays malloc and free take {:.0f} % of {}, and that "
                           "cannot be",
                           100 * taken, r.costs.whole());
    if (saved > 1)
        return fmt::format("no verdict: replays save {:.0f} % of {}, and that cannot be",
                           100 * saved, r.costs.whole());
    return {};
}

/// The gains that the first line weighs.
struct weighed {
    const other_malloc* best = nullptr; ///< of those that save time; null: none does
    double advised = 0;                 ///< by all advice, or the best of it
    bool walks_only = false;            ///< there is advice, and all of it is a guess about walks
};

weighed weigh(const advice_report& r) {
    const auto saved = [&](const difference_made& d) { return saved_in_all(d, r.costs); };
    weighed w;
    for (const other_malloc& m : r.mallocs)
        if ((m.is_worth == worth::time ||
             (m.is_worth == worth::walks && m.difference.burst_before > 0)) &&
            (w.best == nullptr || saved(m.difference) > saved(w.best->difference)))
            w.best = &m;
    w.walks_only = !r.advised.empty();
    for (const advice& a : r.advised) {
        w.advised = std::max(w.advised, saved(a.difference));
        w.walks_only = w.walks_only && a.is_worth == worth::walks && a.difference.burst_before <= 0;
    }
    w.advised = std::max(w.advised, saved(r.all_advised));
    return w;
}

std::string doubt_of(const advice_report& r, const weighed& w) {
    const double best = w.best == nullptr ? 0 : saved_in_all(w.best->difference, r.costs);
    return doubt_of(r, std::max(w.advised, best));
}

/// The spread of turns where that hides a gain that would be worth it; else 0.
double hiding_noise(const advice_report& r) {
    constexpr double much = 0.05; // of the program's time
    double noise = 0;
    const auto look = [&](const difference_made& d) {
        if (d.saved_ns >= least_share_of_time * r.costs.cpu_ns && d.saved_ns <= d.spread_ns &&
            d.spread_ns > much * r.costs.cpu_ns)
            noise = std::max(noise, d.spread_ns);
    };
    for (const other_malloc& m : r.mallocs)
        look(m.difference);
    for (const advice& a : r.tried)
        look(a.difference);
    return noise;
}

/// The malloc that may save as much as all advice, though turns differ by more; null: none.
const other_malloc* best_of_the_unsure(const advice_report& r, const weighed& w) {
    const other_malloc* best = nullptr;
    const auto saved = [&](const other_malloc& m) { return saved_in_all(m.difference, r.costs); };
    for (const other_malloc& m : r.mallocs)
        if (m.is_worth == worth::nothing && saved(m) >= w.advised && saved(m) > 0 &&
            (best == nullptr || saved(m) > saved(*best)))
            best = &m;
    return best;
}

bool is_for_a_malloc(const advice_report& r, const weighed& w) {
    return w.best != nullptr && (w.walks_only || r.advised.empty() ||
                                 saved_in_all(w.best->difference, r.costs) >= 0.6 * w.advised);
}

} // namespace

const other_malloc* malloc_of_first_line(const advice_report& r) {
    const weighed w = weigh(r);
    return doubt_of(r, w).empty() && is_for_a_malloc(r, w) ? w.best : nullptr;
}

std::string preload_line_of(const advice_report& r, const std::vector<std::string>& program) {
    const other_malloc* const named = malloc_of_first_line(r);
    if (named == nullptr || named->library.empty())
        return {};
    std::string line = "LD_PRELOAD=" + shell_word(named->library);
    for (const std::string& word : program)
        line += " " + shell_word(word);
    if (program.empty())
        line += " " + (r.program.empty() ? std::string{"program"} : r.program);
    return line;
}

std::string first_line_of(const advice_report& r) {
    const auto saved = [&](const difference_made& d) { return saved_in_all(d, r.costs); };
    const auto within = [&](const difference_made& d) { return saved_text(d, r.costs); };
    const weighed w = weigh(r);
    if (const std::string doubt = doubt_of(r, w); !doubt.empty())
        return doubt;
    if (r.advised.empty() && w.best == nullptr) {
        if (const double noise = hiding_noise(r); noise > 0)
            return fmt::format("no verdict: replays differ by {:.0f} % of {}, more than a change "
                               "might save: again on an idle machine, or with more --turns",
                               100 * noise / r.costs.cpu_ns, r.costs.whole());
        return "nothing here is worth your time";
    }
    if (is_for_a_malloc(r, w))
        return fmt::format("just link or preload {}: {} of {}, without a change", w.best->name,
                           within(w.best->difference), r.costs.whole());
    if (w.walks_only)
        return "nothing to gain in the calls; where the program walks its objects it may gain";
    if (r.advised[0].proposed.what == remedy::grow_by_doubling)
        return fmt::format("worth it: {} of {}, and no allocator is needed for it",
                           within(r.advised[0].difference), r.costs.whole());
    if (w.advised <= 0)
        return fmt::format("worth it for its memory: {} less",
                           bytes_text(r.advised[0].difference.saved_bytes));
    const auto more = [&](const advice& a, const advice& b) {
        return saved(a.difference) < saved(b.difference);
    };
    const difference_made& most =
        saved(r.all_advised) >= w.advised
            ? r.all_advised
            : std::max_element(r.advised.begin(), r.advised.end(), more)->difference;
    std::string line = fmt::format("worth it: {} of {}", within(most), r.costs.whole());
    if (const other_malloc* const m = best_of_the_unsure(r, w); m != nullptr)
        line += fmt::format("; to preload {} may save as much without a change, but replays "
                            "differ by more: {}",
                            m->name, within(m->difference));
    return line;
}

} // namespace arenite::advisor
