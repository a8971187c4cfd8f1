// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "../analysis/advise.hpp"
#include "../arguments.hpp"
#include "../record/program.hpp"
#include "../record/session.hpp"
#include "../report/advice_json.hpp"
#include "../report/advice_page.hpp"
#include "../report/whole_file.hpp"
#include "../run/repeated_input.hpp"
#include "../verb.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/core.h>
#include <unistd.h>

namespace arenite::advisor {
namespace {

void say(const std::string& what) {
    if (::isatty(2))
        fmt::print(stderr, "\r\033[K{}", what.empty() ? "" : what + " ...");
}

void print(const advice_report& r, const std::vector<std::string>& program, bool code) {
    if (!program.empty()) // it wrote to the same place
        fmt::print("\narenite advise:\n");
    fmt::print("{}\n", r.first_line);
    if (const std::string line = preload_line_of(r, program); !line.empty())
        fmt::print("    {}\n", line);
    if (!r.damage.empty())
        fmt::print("the trace is damaged: {}\n", r.damage);
    fmt::print("{}: {} events, live at most {}; ", r.program.empty() ? "the program" : r.program,
               grouped(static_cast<std::size_t>(r.recorded->events())),
               bytes_text(double(r.recorded->peak_bytes())));
    if (r.costs.cpu_is_known)
        fmt::print("malloc and free take {:.0f} % of {:.2f} s of CPU time{}\n",
                   r.costs.cpu_ns > 0 ? 100 * r.malloc_ns / r.costs.cpu_ns : 0.0,
                   r.costs.cpu_ns / r.costs.replayed_share * 1e-9,
                   r.costs_are_native
                       ? ""
                       : " (by its recording, less what the recorder measured of itself)");
    else
        fmt::print("its CPU time is not known: shares are of the replay's time, {:.3f} s\n",
                   r.costs.cpu_ns * 1e-9);
    if (!r.sparse.empty())
        fmt::print("{}\n", r.sparse);
    if (!r.ended_badly.empty())
        fmt::print("the recorded run did not end with 0: {}\n", r.ended_badly);
    if (const touches& t = r.recorded->touched(); r.costs.knows_reads)
        fmt::print("of {} frees that were observed, {:.0f} % are of what it had used just before\n",
                   grouped(t.watched_frees()), 100 * r.costs.reads_what_it_frees);
    if (!r.fewer_frames.empty())
        fmt::print("{}\n", r.fewer_frames);
    if (r.costs.replayed_share < 1)
        fmt::print("what follows is of the first {:.1f} % of its events: more are not replayed\n",
                   100 * r.costs.replayed_share);
    int number = 0;
    for (const advice& a : r.advised) {
        fmt::print("{:>2}. {}\n    {}{}\n", ++number, title_of(a.proposed, r.sites),
                   figures_of(a.difference, r.costs),
                   a.is_worth == worth::walks && a.difference.burst_before <= 0
                       ? "; only where it walks its objects"
                       : "");
        if (a.tested)
            fmt::print("    on the other recording: {} of {} call sites, {}{}\n",
                       a.tested->sites_found, a.proposed.sites.size(),
                       figures_of(a.tested->difference, a.tested->costs),
                       a.tested->is_worth == worth::nothing ? "; not worth it there" : "");
        if (a.held_bytes > 0)
            fmt::print("    it holds {} at most, where {} live\n", bytes_text(a.held_bytes),
                       bytes_text(a.group_peak_bytes));
        if (code)
            fmt::print("\n{}\n", code_of(a.proposed, r.sites));
    }
    if (r.advised.size() > 1)
        fmt::print("together: {}\n", figures_of(r.all_advised, r.costs));
    for (const other_malloc& m : r.mallocs)
        fmt::print("  {:<15} {}{}\n", m.name, figures_of(m.difference, r.costs),
                   m.is_worth == worth::nothing ? "" : "  <- no change of the source");
    for (const advice& a : r.tried) {
        const std::string overlap = overlap_text(r, a);
        fmt::print("  leave it: {} ({}{}{})\n", title_of(a.proposed, r.sites),
                   figures_of(a.difference, r.costs),
                   a.too_dear ? fmt::format(", it would hold {}", bytes_text(a.held_bytes)) : "",
                   overlap.empty() ? "" : "; " + overlap);
    }
}

/// Seconds. A run that takes less is measured three times; and where it takes less of CPU time,
/// bursts may take as much as it does: it would else be seen too seldom to tell what walks gain.
constexpr double short_run = 2;

/// All shares are of it.
double native_cpu_seconds(const std::vector<std::string>& program, const repeated_input& input) {
    std::vector<double> cpu;
    for (double elapsed = 0; cpu.size() < 3 && elapsed < short_run;) {
        input.begin_anew();
        const plain_run run = run_plainly(program);
        cpu.push_back(run.cpu_seconds);
        elapsed = run.elapsed_seconds;
    }
    std::sort(cpu.begin(), cpu.end());
    return cpu[cpu.size() / 2];
}

/// Removes a recording that nobody wants any more, however the work ends.
class temporary_trace {
public:
    void is(std::string path) { path_ = std::move(path); }
    temporary_trace() = default;
    ~temporary_trace() {
        if (!path_.empty())
            whole_file::remove_file(path_);
    }
    temporary_trace(const temporary_trace&) = delete;
    temporary_trace& operator=(const temporary_trace&) = delete;

private:
    std::string path_;
};

int advise(arguments& given) {
    std::string trace, json, page, kept, other;
    unsigned turns = 5;
    bool code = false;
    given.operand("TRACE", trace, "what `arenite record` wrote; or give a program behind --",
                  false);
    given.option("--json", json, "write the answer as JSON");
    given.option("--report", page, "write it as a page");
    given.option("--test", other, "try the advice on this recording of the program, too");
    given.option("--turns", turns, "how often each replay is measured");
    given.option("--keep", kept, "keep the recording of the program here");
    given.flag("--code", code, "print the code to type, too");
    given.read();
    if (turns < 1 || turns > 1000)
        throw bad_input("--turns is not within 1 and 1000");
    if (trace.empty() == given.program().empty())
        throw bad_input("it takes either a trace, or a program behind --");
    for (const std::string& written : {json, page, kept})
        whole_file::require_writable(written);
    if (!other.empty())
        (void)trace::open(other); // refused at once, if it is none
    double native_ns = 0;
    const bool temporary = trace.empty() && kept.empty();
    temporary_trace removed_at_the_end;
    if (trace.empty()) {
        say("running the program as it is");
        const repeated_input input;
        native_ns = native_cpu_seconds(given.program(), input) * 1e9;
        record_options options;
        if (native_ns < short_run * 1e9) // observe more of it
            options.accesses_percent = 100;
        options.trace = kept.empty() ? (std::filesystem::temp_directory_path() /
                                        fmt::format("arenite-{}.trace", ::getpid()))
                                           .string()
                                     : kept;
        trace = options.trace;
        if (temporary)
            removed_at_the_end.is(trace);
        say("recording it");
        input.begin_anew();
        const recorded r = record_program(given.program(), options);
        if (!r.failed.empty())
            throw bad_input(fmt::format("the recording in {} is not whole: {} (--keep puts it "
                                        "elsewhere)",
                                        trace, r.failed));
        if (r.events == 0)
            throw bad_input("no allocation was seen: `arenite record` says more");
        if (const std::string unseen = unseen_text(r); !unseen.empty())
            fmt::print(stderr, "arenite advise: {}\n", unseen);
    }
    advise_options how;
    how.turns = turns;
    how.native_cpu_ns = native_ns;
    how.step = say;
    advice_report r = advise_on(trace, how);
    if (!other.empty())
        test_on(r, other, how);
    say("");
    print(r, given.program(), code);
    if (!json.empty())
        whole_file{json}.keep(advice_as_json(r));
    if (!page.empty())
        whole_file{page}.keep(advice_as_page(r, trace));
    return 0;
}

} // namespace

extern const verb advise_verb;
const verb advise_verb{"advise", "which call sites want which allocator, and what that brings",
                       advise};

} // namespace arenite::advisor
