// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "../analysis/profile.hpp"
#include "../analysis/sites.hpp"
#include "../analysis/walks.hpp"
#include "../arguments.hpp"
#include "../record/program.hpp"
#include "../verb.hpp"

#include <algorithm>
#include <arenite/report/detail/text.hpp>
#include <cstdlib>
#include <fmt/core.h>

namespace arenite::advisor {
namespace {

using trace::op;

double share(std::uint64_t part, std::uint64_t of) {
    return of == 0 ? 0 : 100.0 * double(part) / double(of);
}

/// The sizes or lives up to which these shares of all go: "16 B 50 %, 64 B 90 %".
std::string quantiles(const std::array<std::uint64_t, profile::buckets>& counts) {
    std::uint64_t all = 0, sum = 0;
    for (const std::uint64_t n : counts)
        all += n;
    std::string text;
    std::size_t next = 0;
    constexpr std::array wanted{50u, 90u, 99u};
    for (std::size_t i = 0; i < counts.size() && next < wanted.size(); ++i) {
        sum += counts[i];
        while (next < wanted.size() && all != 0 && sum * 100 >= all * wanted[next])
            text += fmt::format("{}{} % up to {}", text.empty() ? "" : ", ", wanted[next++],
                                grouped((std::size_t{1} << i) - 1));
    }
    return text;
}

void show_counts(const profile& p, const trace::source& from) {
    const auto& about = from.known();
    fmt::print("{} events of {} thread{}", grouped(p.events()), p.threads(),
               p.threads() == 1 ? "" : "s");
    if (const std::string program = shown_word(about, "program"); !program.empty())
        fmt::print(" of {} ({}, {:.2f} s of CPU time while recorded)", program,
                   shown_word(about, "end"),
                   std::strtod(about.word("cpu_ms").c_str(), nullptr) * 1e-3);
    fmt::print(
        "\n  malloc {}, calloc {}, realloc {}, aligned {}, new {}, new[] {}, free {}, delete "
        "{}, delete[] {}\n",
        grouped(p.count(op::malloc)), grouped(p.count(op::calloc)), grouped(p.count(op::realloc)),
        grouped(p.count(op::memalign)), grouped(p.count(op::new_object)),
        grouped(p.count(op::new_array)), grouped(p.count(op::free)),
        grouped(p.count(op::delete_object)), grouped(p.count(op::delete_array)));
    fmt::print("live at most {}, at the end {} in {} objects\n", bytes_text(double(p.peak_bytes())),
               bytes_text(double(p.end_bytes())), grouped(p.end_count()));
    fmt::print("sizes in bytes: {}\nlives in events: {}\n", quantiles(p.sizes()),
               quantiles(p.lives()));
    if (p.marks() != 0) {
        std::uint64_t died = 0;
        for (const stack_profile& s : p.stacks())
            died += s.died_in_frame;
        fmt::print(
            "{} marks of the program; {:.0f} % of the allocations died before the mark after "
            "their birth\n",
            grouped(p.marks()), share(died, p.allocations()));
    }
    if (const std::string checked = shown_word(about, "checked"); !checked.empty())
        fmt::print("call stacks: {} checked against the unwind tables, {} differ; {} were taken by "
                   "the slow way\n",
                   checked, shown_word(about, "differing"), shown_word(about, "unwound_slowly"));
    if (const std::string fewer = fewer_frames_text(about); !fewer.empty())
        fmt::print("{}\n", fewer);
    if (const std::string lost = shown_word(about, "lost"); !lost.empty() && lost != "0")
        fmt::print("events that were not written: {}\n", lost);
    if (const std::string ended = shown_word(about, "recording_ended"); !ended.empty())
        fmt::print("recording ended before the program did: {}\n", ended);
    if (p.never_seen() != 0)
        fmt::print("frees of what was never seen allocated: {}\n", grouped(p.never_seen()));
    if (p.never_freed() != 0)
        fmt::print("objects whose free is missing: {}\n", grouped(p.never_freed()));
    if (const std::string damage = from.damage(); !damage.empty())
        fmt::print("the trace is damaged: {}\n", damage);
}

void show_sites(const profile& p, std::vector<site> sites, std::size_t count) {
    const bool marked = p.marks() != 0;
    fmt::print("\n{:>13} {:>6} {:>10} {:>10} {:>11} {:>6}{}  call site\n", "allocations", "share",
               "bytes", "at peak", "sizes", "short", marked ? "  frame" : "");
    const std::size_t all = sites.size();
    sites.resize(std::min(count, all));
    for (const site& s : sites) {
        const std::string range = s.one_size()
                                      ? std::to_string(s.sum.largest)
                                      : fmt::format("{}-{}", s.sum.smallest, s.sum.largest);
        fmt::print(
            "{:>13} {:>5.1f}% {:>10} {:>10} {:>11} {:>5.0f}%{}  {}{}\n", grouped(s.sum.allocations),
            share(s.sum.allocations, p.allocations() + p.count(op::realloc)),
            bytes_text(double(s.sum.bytes)), bytes_text(double(s.sum.bytes_at_peak)), range,
            share(s.sum.short_lived, s.sum.allocations),
            marked ? fmt::format(" {:>5.0f}%", share(s.sum.died_in_frame, s.sum.allocations)) : "",
            s.label(), s.container.empty() ? "" : " [" + s.container + "]");
    }
    if (all > count)
        fmt::print("... and {} further sites (--sites N shows more)\n", all - count);
    fmt::print("short: died within {} events{}\n", short_life,
               marked ? "; frame: before the mark after their birth" : "");
}

void show_touches(const profile& p, const trace::tables& known, const std::vector<site>& sites,
                  std::size_t count) {
    const touches& t = p.touched();
    if (t.samples() == 0 && t.bursts() == 0) {
        if (const std::string why = shown_word(known, "accesses"); !why.empty())
            fmt::print("\nwhat is touched was not observed: {}\n", why);
        return;
    }
    fmt::print("\n{} samples of registers, {:.0f} % of them pointed into a live object\n",
               grouped(t.samples()), share(t.samples_in_objects(), t.samples()));
    fmt::print(
        "{} bursts of {} instructions: {} accesses, {:.0f} % of them to objects; 100 of "
        "these use {:.0f} objects, {:.0f} lines, {:.0f} pages\n",
        grouped(t.bursts()), grouped(t.instructions()), grouped(t.accesses()),
        share(t.accesses_in_objects(), t.accesses()), share(t.objects(), t.accesses_in_objects()),
        share(t.lines(), t.accesses_in_objects()), share(t.pages(), t.accesses_in_objects()));
    const std::vector<site_walks> walks = walks_of(p, sites);
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < walks.size(); ++i)
        if (walks[i].samples != 0 || !walks[i].next.empty())
            order.push_back(i);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return walks[a].samples > walks[b].samples;
    });
    fmt::print("\n{:>8} {:>9} {:>6}  call site, and whose objects are used next\n", "samples",
               "in order", "near");
    for (std::size_t n = 0; n < std::min(count, order.size()); ++n) {
        const site_walks& w = walks[order[n]];
        std::vector<std::pair<std::size_t, std::uint64_t>> next;
        std::uint64_t all = 0;
        for (const auto& [to, steps] : w.next) {
            next.emplace_back(to, steps.steps);
            all += steps.steps;
        }
        std::stable_sort(next.begin(), next.end(),
                         [](const auto& a, const auto& b) { return a.second > b.second; });
        const auto of_within = [&](std::uint64_t part) {
            return w.within.steps == 0 ? std::string{"-"}
                                       : fmt::format("{:.0f}%", share(part, w.within.steps));
        };
        fmt::print("{:>7.1f}% {:>9} {:>6}  {}\n", share(w.samples, t.samples()),
                   of_within(w.within.in_order), of_within(w.within.near), sites[order[n]].label());
        for (std::size_t k = 0; k < std::min<std::size_t>(3, next.size()); ++k)
            if (share(next[k].second, all) >= 5)
                fmt::print("{:>34.0f}% -> {}\n", share(next[k].second, all),
                           sites[next[k].first].label());
    }
    fmt::print("in order, near: from an object to the next one of this call site, to one born "
               "later, to one within 256 bytes\n");
}

void show_phases(const profile& p, const std::vector<site>& sites) {
    const std::vector<site_phase> phases = phases_of(p, sites);
    if (phases.empty())
        return;
    fmt::print("\n{:>8} {:>10}  {:<15} call sites whose objects are used most\n", "samples",
               "in objects", "until mark");
    for (const site_phase& f : phases) {
        if (f.samples == 0)
            continue;
        std::string most;
        for (std::size_t i = 0; i < std::min<std::size_t>(2, f.by_site.size()); ++i)
            most += fmt::format("{}{:.0f}% {}", i == 0 ? "" : ", ",
                                share(f.by_site[i].second, f.samples),
                                sites[f.by_site[i].first].label());
        const std::string marks =
            f.first_mark > p.marks() ? std::string{"behind the last"}
            : f.first_mark == f.last_mark
                ? grouped(f.last_mark)
                : fmt::format("{} to {}", grouped(f.first_mark), grouped(f.last_mark));
        fmt::print("{:>7.1f}% {:>9.0f}%  {:<15} {}\n", share(f.samples, p.touched().samples()),
                   share(f.samples_in_objects, f.samples), marks, most);
    }
}

int show(arguments& given) {
    std::string file;
    unsigned count = 12;
    given.operand("TRACE", file, "what `arenite record` wrote; also .ev and .atr files");
    given.option("--sites", count, "how many call sites to list");
    given.read();
    const auto from = trace::open(file);
    const profile p{*from};
    show_counts(p, *from);
    symbols names;
    const std::vector<site> sites = sites_of(p, from->known(), names);
    show_sites(p, sites, count);
    show_touches(p, from->known(), sites, count);
    show_phases(p, sites);
    return 0;
}

} // namespace

extern const verb show_verb;
const verb show_verb{"show", "what is in a trace: events, sizes, lives, call sites", show};

} // namespace arenite::advisor
