// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "../analysis/profile.hpp"
#include "../analysis/sites.hpp"
#include "../arguments.hpp"
#include "../report/exports.hpp"
#include "../report/timeline.hpp"
#include "../report/whole_file.hpp"
#include "../trace/reader.hpp"
#include "../verb.hpp"

#include <fmt/core.h>

namespace arenite::advisor {
namespace {

constexpr std::size_t most_marks = 100'000;

std::string perfetto_of(const std::string& file, const profile& p, const trace::source& read,
                        symbols& names) {
    const auto again = trace::open(file);
    const timeline t = timeline_of(*again, sites_of(p, read.known(), names), p.events());
    std::vector<std::pair<std::uint64_t, std::uint64_t>> marks;
    if (p.count(trace::op::mark) != 0) {
        const auto third = trace::open(file);
        trace::read_all(
            *third,
            [&](const trace::event& e) {
                if (e.what == trace::op::mark && marks.size() < most_marks)
                    marks.emplace_back(e.time, e.address);
            },
            [](const trace::observation&) {});
    }
    return as_perfetto(t, read.known().word("program"), marks);
}

int export_trace(arguments& given) {
    std::string file, to;
    bool collapsed = false, pprof = false, perfetto = false;
    given.operand("TRACE", file, "what `arenite record` wrote; also .ev and .atr files");
    given.flag("--collapsed", collapsed, "call stacks and their bytes at the peak: flame graphs");
    given.flag("--pprof", pprof, "for `go tool pprof FILE`");
    given.flag("--perfetto", perfetto, "bytes by call site over time: ui.perfetto.dev");
    given.option("-o", to, "the file to write; else TRACE.collapsed, .pprof or .perfetto.json");
    given.read();
    if (int{collapsed} + int{pprof} + int{perfetto} != 1)
        throw bad_input("one of --collapsed, --pprof and --perfetto must say what to write");
    const auto from = trace::open(file);
    const profile p{*from};
    if (p.events() == 0)
        throw bad_input(file + " holds no events");
    symbols names;
    std::string contents;
    if (collapsed)
        contents = as_collapsed(p, from->known(), names);
    else if (pprof)
        contents = as_pprof(p, from->known(), names);
    else
        contents = perfetto_of(file, p, *from, names);
    if (to.empty())
        to = file + (collapsed ? ".collapsed" : pprof ? ".pprof" : ".perfetto.json");
    whole_file{to}.keep(contents);
    fmt::print("{}: {} bytes\n", to, contents.size());
    if (const std::string damage = from->damage(); !damage.empty())
        fmt::print("the trace is damaged: {}\n", damage);
    return 0;
}

} // namespace

extern const verb export_verb;
const verb export_verb{"export", "a trace for pprof, Perfetto or a flame graph", export_trace};

} // namespace arenite::advisor
