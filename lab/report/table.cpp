// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "table.hpp"

#include "compare.hpp"
#include "grid.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace arenite::lab {
namespace {

/// "arenite.ordered.retain-4k" in lines of one word each, so that columns stay narrow.
grid::cell heading(const std::string& name) {
    grid::cell lines{""};
    for (const char letter : name) {
        if (letter == '-' && lines.back().size() > 3)
            lines.emplace_back();
        lines.back() += letter;
        if (letter == '.')
            lines.emplace_back();
    }
    return lines;
}

grid::cell ratio_cell(const std::optional<comparison>& c) {
    if (!c)
        return {"-"};
    return {(c->tie ? "tie " : "") + ratio_text(c->ratio), c->theirs};
}

/// True where any row has such a comparison: else the column is left out.
bool any_ratio(const std::vector<row>& rows, const experiment& e, pairing p) {
    return std::any_of(rows.begin(), rows.end(),
                       [&](const row& r) { return against_best(r, e, p).has_value(); });
}

std::string title(const experiment& e) {
    std::string text = e.workload->name;
    for (const auto& [name, value] : e.values)
        text += fmt::format("  {}={}", name, value);
    return text +
           fmt::format("  ({} turns, a cold and {} warm passes each)", e.repeats, e.warm_passes);
}

/// A verdict on each row in which some peer is better than ours: how often ours is the peer's
/// figure, and whether the spread is larger than that. Where it is so for all, the row is left out.
/// Of a subject of ours that retains, peers that do so too.
std::string where_peers_win(const std::vector<row>& rows, const experiment& e,
                            const std::string& subject) {
    std::string text;
    for (const row& r : rows) {
        const result* ours = r.of(subject);
        if (ours == nullptr || !r.compared)
            continue;
        std::vector<std::string> verdicts;
        bool is_shown = false;
        for (const known_subject* s : e.subjects) {
            const result* const peer = r.of(s->info.name);
            if (peer == nullptr || !is_peer(s->info.name, s->info.floor) ||
                (retains(subject) && !retains(s->info.name)))
                continue;
            const auto c = compare(figure_of(*ours), figure_of(*peer), peer->subject, r.unit);
            if (!c || c->ratio <= 1)
                continue;
            is_shown = is_shown || !c->tie;
            verdicts.push_back(fmt::format("{} of {}{}", ratio_text(c->ratio), c->theirs,
                                           c->tie ? " (within the spread)" : ""));
        }
        if (is_shown)
            text += fmt::format("Worse: {}, {}: {} {} is {}\n", r.metric, r.state, subject,
                                short_number(ours->median()) + " " + r.unit, join(verdicts));
    }
    return text;
}

} // namespace

std::string describe(const machine& m) {
    std::string text;
    text += fmt::format("Machine   {}, {} cores, {:.1f} GiB, pages of {} KiB, huge pages: {}\n",
                        m.processor, m.cores, static_cast<double>(m.memory_bytes) / (1 << 30),
                        m.page_bytes / 1024, m.huge_pages);
    text += fmt::format("System    {}, {}, {}, {}\n", m.system, m.kernel, m.c_library,
                        m.standard_library);
    text += fmt::format("Built by  {} {}\n", m.compiler, m.flags);
    text += fmt::format("Arenite   {}\n", m.arenite);
    text += fmt::format("Ticks     {}, {:.2f} a ns\n", m.tick_source, m.ticks_per_ns);
    for (const std::string& warning : m.warnings)
        text += fmt::format("WARNING   {}\n", warning);
    return text;
}

std::string describe(const std::vector<experiment>& experiments) {
    std::set<std::string> told;
    grid subjects;
    subjects.left_columns(4);
    subjects.add({{"subject"}, {"pages"}, {"version"}, {"what it is"}});
    for (const experiment& e : experiments)
        for (const known_subject* s : e.subjects)
            if (told.insert(s->info.name).second) {
                std::string what = s->info.summary;
                for (const auto& [name, value] : s->info.environment)
                    what += fmt::format(" [{}={}]", name, value);
                subjects.add({{s->info.name}, {s->info.pages}, {s->info.version}, {what}});
            }
    return subjects.text();
}

std::string table(const experiment& e, const outcome& measured) {
    const std::vector<row> rows = rows_of(measured);
    std::string text = title(e) + "\n";
    if (!rows.empty()) {
        const bool best = any_ratio(rows, e, pairing::defaults);
        const bool twins =
            any_ratio(rows, e, pairing::huge_pages) && any_ratio(rows, e, pairing::small_pages);
        const bool retaining = any_ratio(rows, e, pairing::retaining);
        std::vector<std::string> names;
        for (const known_subject* s : e.subjects)
            if (std::any_of(rows.begin(), rows.end(),
                            [&](const row& r) { return r.of(s->info.name) != nullptr; }))
                names.push_back(s->info.name);

        grid g;
        std::vector<grid::cell> head{{"metric, state", "(unit)"}};
        if (best)
            head.push_back({"ours to", "the best"});
        if (twins) {
            head.push_back({"both with", "huge pages"});
            head.push_back({"both with", "4k pages"});
        }
        if (retaining)
            head.push_back({"both", "retaining"});
        for (const std::string& name : names)
            head.push_back(heading(name));
        g.add(std::move(head));

        for (const row& r : rows) {
            std::vector<grid::cell> cells{
                {fmt::format("{}, {}", r.metric, r.state), "(" + r.unit + ")"}};
            if (best)
                cells.push_back(ratio_cell(against_best(r, e)));
            if (twins) {
                cells.push_back(ratio_cell(against_best(r, e, pairing::huge_pages)));
                cells.push_back(ratio_cell(against_best(r, e, pairing::small_pages)));
            }
            if (retaining)
                cells.push_back(ratio_cell(against_best(r, e, pairing::retaining)));
            for (const std::string& name : names) {
                const result* figure = r.of(name);
                if (figure == nullptr)
                    cells.push_back({"-"});
                else
                    cells.push_back(
                        {short_number(figure->median()),
                         short_number(figure->least()) + ".." + short_number(figure->most())});
            }
            g.add(std::move(cells));
        }
        text += g.text(output_width());
        text += where_peers_win(rows, e, e.workload->ours);
        text += where_peers_win(rows, e, e.workload->ours + ".retain");
    }
    for (const failure& f : measured.failures)
        text += fmt::format("FAILED: {}: {}\n", f.subject, f.what);
    return text;
}

} // namespace arenite::lab
