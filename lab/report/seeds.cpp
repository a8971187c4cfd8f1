// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "seeds.hpp"

#include "grid.hpp"
#include "table.hpp"

#include <algorithm>
#include <fmt/core.h>

namespace arenite::lab {
namespace {

/// Kaltenbrunn, Modern Memory Management (2018), table 6.1: cycles of 1000 allocations, L and M.
void add_table_6_1(std::vector<seed_row>& rows) {
    struct given {
        const char *size, *name;
        double linear, malloc, ratio;
    };
    constexpr given table[]{{"8B", "1000 x 8 Byte", 12'629, 73'824, 5.85},
                            {"256B", "1000 x 256 Byte", 9'395, 189'199, 20.14},
                            {"8KiB", "1000 x 8 KB", 9'374, 3'354'756, 357.88},
                            {"1MiB", "1000 x 1 MB", 9'966, 4'927'997, 494.48}};
    const auto measured = [](const char* size, bool construct, const char* subject) {
        return seed_row::source{"linear/thesis",
                                {{"size", size}, {"construct", construct ? "yes" : "no"}},
                                construct ? "construct" : "allocate",
                                subject};
    };
    const std::string document = "seed 3, table 6.1";
    for (const given& g : table) {
        rows.push_back({document,
                        g.name,
                        "cycles, linear (L)",
                        g.linear,
                        measured(g.size, false, "arenite.linear"),
                        {},
                        1000});
        rows.push_back({document,
                        g.name,
                        "cycles, malloc (M)",
                        g.malloc,
                        measured(g.size, false, "malloc"),
                        {},
                        1000});
        rows.push_back({document, g.name, "M/L", g.ratio, measured(g.size, false, "malloc"),
                        measured(g.size, false, "arenite.linear")});
        rows.push_back({document, g.name, "M/L with construction", std::nullopt,
                        measured(g.size, true, "malloc"),
                        measured(g.size, true, "arenite.linear")});
    }
}

/// The same, table 6.2: cycles of 6000 operations on objects of 256 bytes.
void add_table_6_2(std::vector<seed_row>& rows) {
    const auto measured = [](const char* write, const char* subject) {
        return seed_row::source{"pool/thesis", {{"write", write}}, "pattern_ticks", subject};
    };
    const auto row = [&](const char* quantity, std::optional<double> says, const char* write,
                         const char* subject, const char* divisor = nullptr) {
        seed_row r{"seed 3, table 6.2", "6000 x 256 Byte", quantity, says,
                   measured(write, subject)};
        if (divisor != nullptr)
            r.divided_by = measured(write, divisor);
        rows.push_back(std::move(r));
    };
    constexpr double pool = 187'642, malloc = 942'902;
    row("cycles, pool (P)", pool, "no", "arenite.pool");
    row("cycles, malloc (M)", malloc, "no", "malloc");
    row("M/P", malloc / pool, "no", "malloc", "arenite.pool");
    row("M/P, a word of each written", std::nullopt, "word", "malloc", "arenite.pool");
}

/// The same, figure 2.2: bars without numbers; the text gives their ratio.
void add_figure_2_2(std::vector<seed_row>& rows) {
    const auto measured = [](const char* form, const char* metric, const char* subject) {
        return seed_row::source{
            "memory/vectors", {{"form", form}, {"count", "5000"}}, metric, subject};
    };
    const auto row = [&](const char* quantity, std::optional<double> says, const char* metric,
                         const char* subject) {
        rows.push_back({"seed 3, figure 2.2", "5000 particles", quantity, says,
                        measured("pointers", metric, subject),
                        measured("objects", metric, "malloc")});
    };
    const auto time = [&](const char* quantity, const char* form) {
        rows.push_back({"seed 3, figure 2.2",
                        "5000 particles",
                        quantity,
                        std::nullopt,
                        measured(form, "build_as_written", "malloc"),
                        {},
                        5000});
    };
    time("ns, vector of pointers (P)", "pointers");
    time("ns, vector of objects (O)", "objects");
    row("P/O", 2.66, "build_as_written", "malloc");
    row("P/O, pointees by arenite", std::nullopt, "build_as_written", "arenite.ordered");
    row("P/O, vectors reserved", std::nullopt, "build", "malloc");
    row("P/O, both", std::nullopt, "build", "arenite.ordered");
}

std::optional<double> median_in(const std::vector<outcome>& outcomes, const seed_row::source& s,
                                const char* state) {
    for (const outcome& o : outcomes)
        for (const result& r : o.results)
            if (r.of->workload->name == s.workload && r.of->values == s.values &&
                r.metric == s.metric && r.subject == s.subject && r.state == state)
                return r.median();
    return std::nullopt;
}

std::optional<double> value_of(const std::vector<outcome>& outcomes, const seed_row& row,
                               const char* state) {
    const auto figure = median_in(outcomes, row.figure, state);
    if (!figure || !row.divided_by)
        return figure ? std::optional{*figure * row.scale} : std::nullopt;
    const auto divisor = median_in(outcomes, *row.divided_by, state);
    return divisor && *divisor > 0 ? std::optional{*figure / *divisor * row.scale} : std::nullopt;
}

} // namespace

const std::vector<seed_row>& seed_rows() {
    static const std::vector<seed_row> rows = [] {
        std::vector<seed_row> all;
        add_figure_2_2(all);
        add_table_6_1(all);
        add_table_6_2(all);
        return all;
    }();
    return rows;
}

std::vector<experiment> seed_experiments(const catalogue& all, int repeats) {
    std::vector<experiment> needed;
    const auto need = [&](const seed_row::source& s) {
        auto found = std::find_if(needed.begin(), needed.end(), [&](const experiment& e) {
            return e.workload->name == s.workload && e.values == s.values;
        });
        if (found == needed.end()) {
            request one{.workloads = {s.workload}, .subjects = {s.subject}, .repeats = repeats};
            for (const auto& [name, value] : s.values)
                one.settings.push_back(name + "=" + value);
            needed.push_back(plan(all, one).front());
            return;
        }
        const known_subject* subject = &all.subject(s.subject);
        if (std::find(found->subjects.begin(), found->subjects.end(), subject) ==
            found->subjects.end())
            found->subjects.push_back(subject);
    };
    for (const seed_row& row : seed_rows()) {
        need(row.figure);
        if (row.divided_by)
            need(*row.divided_by);
    }
    return needed;
}

std::vector<seed_result> seed_results(const std::vector<outcome>& outcomes) {
    std::vector<seed_result> results;
    for (const seed_row& row : seed_rows())
        results.push_back({&row, value_of(outcomes, row, "cold"), value_of(outcomes, row, "warm")});
    return results;
}

std::string seed_table(const std::vector<seed_result>& results) {
    grid g;
    g.left_columns(3);
    g.add({{"document"},
           {"row"},
           {"quantity"},
           {"it says"},
           {"here, cold"},
           {"here, warm"},
           {"cold/it"},
           {"warm/it"}});
    const auto number = [](const std::optional<double>& value) {
        return grid::cell{value ? short_number(*value) : "-"};
    };
    for (const seed_result& r : results) {
        const auto ratio = [&](const std::optional<double>& ours) {
            return grid::cell{ours && r.row->says ? short_number(*ours / *r.row->says) + "x" : "-"};
        };
        g.add({{r.row->document},
               {r.row->row},
               {r.row->quantity},
               r.row->says ? grid::cell{short_number(*r.row->says)} : grid::cell{"not given"},
               number(r.cold),
               number(r.warm),
               ratio(r.cold),
               ratio(r.warm)});
    }
    return g.text();
}

} // namespace arenite::lab
