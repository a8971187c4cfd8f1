// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "seeds.hpp"

#include "compare.hpp"
#include "grid.hpp"
#include "seeds_cache.hpp"
#include "seeds_scene.hpp"
#include "table.hpp"

#include <algorithm>
#include <fmt/core.h>
#include <set>
#include <string>
#include <utility>

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

/// Table 6.2 of that document: cycles of 6000 operations on objects of 256 bytes.
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
    row("cycles, pool (P)", pool, "no", "arenite.pool.retain");
    row("cycles, malloc (M)", malloc, "no", "malloc");
    row("M/P", malloc / pool, "no", "malloc", "arenite.pool.retain");
    row("M/P, a word of each written", std::nullopt, "word", "malloc", "arenite.pool.retain");
}

/// Kaltenbrunn, figure 6.6: bars without numbers, for 2000 allocations.
void add_figure_6_6(std::vector<seed_row>& rows) {
    for (const char* release : {"none", "ordered", "random"})
        rows.push_back({"seed 3, figure 6.6", std::string{"2000 allocations, release "} + release,
                        "malloc / free list, first fit", std::nullopt,
                        seed_row::source{"freelist/thesis",
                                         {{"release", release}, {"count", "2000"}},
                                         "operations",
                                         "malloc"},
                        seed_row::source{"freelist/thesis",
                                         {{"release", release}, {"count", "2000"}},
                                         "operations",
                                         "arenite.free_list"}});
}

/// Figure 6.11: memory that is defragmented by moving what lies in it, drawn and not measured.
void add_figure_6_11(std::vector<seed_row>& rows, seed_scale scale) {
    const auto row = [&](const std::string& name, const char* quantity, const char* workload,
                         const parameter_values& values, const char* metric, const char* subject) {
        rows.push_back({.document = "seed 3, figure 6.11",
                        .row = name,
                        .quantity = quantity,
                        .says = std::nullopt,
                        .figure = {workload, values, metric, subject},
                        .cold_only = true});
    };
    const char* const parts = "26000 parts, 30 % freed";
    const parameter_values blocks{{"count", "26000"}, {"moves", "10"}, {"block", "16"}};
    row(parts, "blocks / would do", "offset/defragment", blocks, "blocks left", "arenite.offset");
    row(parts, "bytes copied / in use", "offset/defragment", blocks, "copied", "arenite.offset");
    const std::string count = scale == seed_scale::full ? "1000000" : "200000";
    const parameter_values list{{"count", count}, {"step", "16384"}};
    row("list of " + count + ", aged", "walk before / after", "handle/list", list, "walk_aged",
        "arenite.compacting");
    rows.back().divided_by = {"handle/list", list, "walk", "arenite.compacting"};
}

/// Figures 7.1 and 7.2 of that document, on 24 cores; the text gives the most of the one, and of
/// the other that it is linear.
void add_figures_7(std::vector<seed_row>& rows) {
    const auto row = [&](const char* figure, const char* name, std::optional<double> says,
                         const char* slots) {
        rows.push_back(
            {figure, name, "speedup, all cores", says,
             seed_row::source{"threads/false_sharing", {{"slots", slots}}, "speedup", "std"}});
    };
    row("seed 3, figure 7.1", "slots in one array, at most, 24 cores", 1.4, "shared");
    row("seed 3, figure 7.2", "own variables, 24 cores", std::nullopt, "own");
    for (const char* subject : {"std", "arenite.affinity", "arenite.suballocator-shared",
                                "arenite.container_pool", "arenite.ordered-synchronized"})
        rows.push_back({.document = "seed 3, 7.1",
                        .row = "objects of 4 threads",
                        .quantity = std::string{"% of lines with objects of two, "} + subject,
                        .says = std::nullopt,
                        .figure = {"threads/shared_lines", {{"threads", "4"}}, "shared", subject}});
}

/// Figures of that document that measure nothing, or nothing that a program can measure.
void add_drawings(std::vector<seed_row>& rows) {
    const auto row = [&](const char* figures, const char* name, const char* why) {
        rows.push_back({.document = figures,
                        .row = name,
                        .quantity = "-",
                        .says = std::nullopt,
                        .figure = {},
                        .why_not = why});
    };
    row("seed 3, figure 3.1", "processors and memory, 1980 to 2010",
        "it is of thirty years of machines, from another book; table 3.1's rows are of this one");
    row("seed 3, figures 2.1, 3.2, 3.3, 3.4", "a stack, caches, a line, two lists",
        "they are drawings of how memory lies: nothing was measured");
    row("seed 3, figures 5.1, 6.1 to 6.5, 6.7, 6.8, 6.10", "allocators and layouts",
        "they are drawings of how allocators work: nothing was measured");
    row("seed 4, 3.1 and 3.2", "a pool, a chunk, levels of a heap of bits",
        "they are drawings, and a table that follows from words of 64 bits: nothing was measured");
}

/// A wish beyond the documents: state that is saved and restored at the cost of what changed.
void add_snapshots(std::vector<seed_row>& rows) {
    for (const char* metric : {"take", "restore"})
        rows.push_back({.document = "beyond the seeds, snapshots",
                        .row = "64 MiB, 1 % of the pages written",
                        .quantity = std::string{metric} + ", copying all / ours",
                        .says = std::nullopt,
                        .figure = {"snapshot/undo", {{"changed", "1"}}, metric, "copy-all"},
                        .divided_by = seed_row::source{
                            "snapshot/undo", {{"changed", "1"}}, metric, "arenite.restorable"}});
}

/// And heaps of which a program has as many as it likes, each for any thread, each ending as one.
void add_heaps_without_number(std::vector<seed_row>& rows, seed_scale scale) {
    const char* const document = "beyond the seeds, heaps";
    const auto row = [&](const char* metric, const std::string& quantity) {
        // A quarter of a megabyte each: of a hundred thousand that is more than machines have.
        for (const auto& [subject, zeros] :
             {std::pair{"arenite.shared_heap", "00"}, {"mimalloc.heaps", "0"}}) {
            const std::string heaps =
                (scale == seed_scale::tiny ? "3" : "1000") + std::string{zeros};
            rows.push_back({.document = document,
                            .row = heaps + " at once",
                            .quantity = quantity + ", " + subject,
                            .says = std::nullopt,
                            .figure = {"heaps/many", {{"heaps", heaps}}, metric, subject}});
        }
    };
    row("empty", "bytes of an empty one");
    row("used", "bytes of one with 10 objects of 48");
    row("make", "ns to make one");
    row("end", "ns to end one with its objects");
    const auto beside = [&](const char* name, const char* workload, const parameter_values& values,
                            const char* metric) {
        rows.push_back(
            {.document = document,
             .row = name,
             .quantity = "times, shared_heap/affinity",
             .says = std::nullopt,
             .figure = {workload, values, metric, "arenite.shared_heap"},
             .divided_by = seed_row::source{workload, values, metric, "arenite.affinity"}});
    };
    beside("pairs of 16 to 512 bytes", "order/pair", {{"slots", "1000"}, {"sizes", "16-512"}},
           "pair");
    beside("the same, handed on by 4 threads", "threads/scaling",
           {{"pattern", "larson"}, {"threads", "4"}}, "replace");
}

/// Figure 2.2 of that document: bars without numbers; the text gives their ratio.
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
    row("P/O, pointees by arenite", std::nullopt, "build_as_written", "arenite.ordered.retain");
    row("P/O, vectors reserved", std::nullopt, "build", "malloc");
    row("P/O, both", std::nullopt, "build", "arenite.ordered.retain");
}

/// Shyrobo, Allocator: five rows in seconds, of how many elements its text does not say.
void add_pool_for_containers(std::vector<seed_row>& rows) {
    struct given {
        const char *name, *workload, *end;
        double standard, pool;
    };
    constexpr given table[]{
        {"ForwardList PushFront", "containers/forward_list", "", 0.010423, 0.001428},
        {"List PushFront", "containers/list", "front", 0.010404, 0.002038},
        {"List PushBack", "containers/list", "back", 0.010372, 0.001962},
        {"Map", "containers/map", "", 0.021393, 0.011792},
        {"Set", "containers/set", "", 0.030922, 0.021404}};
    for (const given& g : table) {
        parameter_values values{{"part", "time"}, {"count", "1000000"}};
        if (*g.end != '\0')
            values["end"] = g.end;
        const auto row = [&](const char* quantity, double says, const char* subject,
                             const char* divisor = nullptr) {
            seed_row r{"seed 2, results", std::string{g.name} + ", 1e6 here", quantity, says,
                       seed_row::source{g.workload, values, "fill", subject}};
            if (divisor != nullptr)
                r.divided_by = seed_row::source{g.workload, values, "fill", divisor};
            else
                r.scale = 1e6 * 1e-6; // of 1e6 elements, in milliseconds
            rows.push_back(std::move(r));
        };
        row("ms, default allocator (D)", g.standard * 1e3, "std");
        row("ms, pool allocator (P)", g.pool * 1e3, "arenite.pool_allocator");
        row("D/P", g.standard / g.pool, "std", "arenite.pool_allocator");
    }
}

/// Tapia, The Suballocator Algorithms, 1.2 and 1.3.
void add_suballocator(std::vector<seed_row>& rows, seed_scale scale) {
    const bool full = scale == seed_scale::full;
    const auto first = static_cast<std::ptrdiff_t>(rows.size());
    const auto raw = [&](const char* metric, const char* subject) {
        return seed_row::source{
            "suballocator/raw", {{"count", full ? "50000000" : "10000000"}}, metric, subject};
    };
    const auto set = [&](const char* subject) {
        return seed_row::source{
            "suballocator/set", {{"count", full ? "30000000" : "3000000"}}, "insert", subject};
    };
    const std::string raw_row = full ? "5e7 x 64 bits" : "5e7 x 64 bits, 1e7 here";
    const std::string set_row = full ? "set of 3e7" : "set of 3e7, 3e6 here";
    constexpr const char* ours = "arenite.suballocator";
    constexpr const char* shared = "arenite.suballocator-shared";

    std::string document = "seed 4, 1.3, allocation";
    const auto fill = [&](const char* subject) { return raw("fill", subject); };
    rows.push_back({document, raw_row, "s, std (A)", 1.44, fill("std"), {}, 5e7 * 1e-9});
    rows.push_back({document, raw_row, "s, suballocator (S)", 0.76, fill(ours), {}, 5e7 * 1e-9});
    rows.push_back({document, raw_row, "ns each, A", 28.8, fill("std")});
    rows.push_back({document, raw_row, "ns each, S", 15.2, fill(ours)});
    rows.push_back({document, raw_row, "ns each, S shared by all", std::nullopt, fill(shared)});
    rows.push_back({document, raw_row, "A/S", 28.8 / 15.2, fill("std"), fill(ours)});

    document = "seed 4, 1.3, insertion";
    rows.push_back({document, set_row, "s, std (A)", 69.78, set("std"), {}, 3e7 * 1e-9});
    rows.push_back({document, set_row, "s, suballocator (S)", 39.65, set(ours), {}, 3e7 * 1e-9});
    rows.push_back({document, set_row, "ns each, A", 2326, set("std")});
    rows.push_back({document, set_row, "ns each, S", 1321, set(ours)});
    rows.push_back({document, set_row, "ns each, S shared by all", std::nullopt, set(shared)});
    rows.push_back({document, set_row, "A/S", 2326.0 / 1321, set("std"), set(ours)});

    document = "seed 4, 1.3, where it comes from";
    rows.push_back(
        {document, "A - S", "ns, insertion", 1005, set("std"), {}, 1, {{-1, set(ours)}}});
    rows.push_back(
        {document, "A - S", "ns, allocation", 13.6, fill("std"), {}, 1, {{-1, fill(ours)}}});
    rows.push_back({document,
                    "A - S",
                    "ns, 1005 - 13.6 = 991.4: locality",
                    991.4,
                    set("std"),
                    {},
                    1,
                    {{-1, set(ours)}, {-1, fill("std")}, {1, fill(ours)}}});

    document = "seed 4, 1.2, memory";
    const auto memory = [&](const char* quantity, std::optional<double> says, const char* metric,
                            const char* subject) {
        rows.push_back({document, raw_row, quantity, says, raw(metric, subject), {}, 5e7 * 1e-9});
    };
    memory("GB, std", 1.56, "resident", "std");
    memory("GB, boost::fast_pool", 0.52, "resident", "boost.fast_pool");
    memory("GB, suballocator", std::nullopt, "resident", ours);
    memory("GB when all is freed, std", std::nullopt, "resident_after", "std");
    memory("GB when all is freed, suballocator", std::nullopt, "resident_after", ours);

    for (auto row = rows.begin() + first; row != rows.end(); ++row)
        row->cold_only = true;
}

/// An experiment may have more parameters than a row names; those have their defaults.
bool with_values(const parameter_values& of_experiment, const parameter_values& of_row) {
    return std::includes(of_experiment.begin(), of_experiment.end(), of_row.begin(), of_row.end());
}

std::optional<double> median_in(const std::vector<outcome>& outcomes, const seed_row::source& s,
                                const char* state) {
    for (const outcome& o : outcomes)
        for (const result& r : o.results)
            if (r.of->workload->name == s.workload && with_values(r.of->values, s.values) &&
                r.metric == s.metric && r.subject == s.subject && r.state == state)
                return r.median();
    return std::nullopt;
}

std::optional<double> value_of(const std::vector<outcome>& outcomes, const seed_row& row,
                               const char* state) {
    const auto figure = median_in(outcomes, row.figure, state);
    if (!figure)
        return std::nullopt;
    double value = *figure;
    for (const auto& [times, of] : row.and_times) {
        const auto added = median_in(outcomes, of, state);
        if (!added)
            return std::nullopt;
        value += times * *added;
    }
    if (row.divided_by) {
        const auto divisor = median_in(outcomes, *row.divided_by, state);
        if (!divisor || *divisor <= 0)
            return std::nullopt;
        value /= *divisor;
    }
    return value * row.scale;
}

void shrink(seed_row::source& s) {
    for (auto& [name, value] : s.values)
        if (name == "count" || name == "nodes")
            value = std::to_string(std::stoull(value) / 50);
        else if (name == "levels")
            value.assign(1, '9'); // of fewer nodes noise is more than what differs
}

} // namespace

std::vector<seed_row> seed_rows(seed_scale scale) {
    std::vector<seed_row> all;
    add_scene_graph(all, scale);
    add_pool_for_containers(all);
    add_figure_2_2(all);
    add_cache(all, scale);
    add_table_6_1(all);
    add_table_6_2(all);
    add_figure_6_6(all);
    add_figure_6_11(all, scale);
    add_figures_7(all);
    add_drawings(all);
    add_snapshots(all);
    add_heaps_without_number(all, scale);
    add_suballocator(all, scale);
    if (scale == seed_scale::tiny) {
        for (seed_row& row : all) {
            shrink(row.figure);
            if (row.divided_by)
                shrink(*row.divided_by);
            for (auto& [times, added] : row.and_times)
                shrink(added);
        }
    }
    return all;
}

std::vector<experiment> seed_experiments(const catalogue& all, const std::vector<seed_row>& rows,
                                         const request& asked) {
    std::vector<experiment> needed;
    const auto need = [&](const seed_row::source& s, bool cold_only) {
        const known_subject* subject = all.find_subject(s.subject);
        if (subject == nullptr || std::find(subject->workloads.begin(), subject->workloads.end(),
                                            s.workload) == subject->workloads.end())
            return;
        auto found = std::find_if(needed.begin(), needed.end(), [&](const experiment& e) {
            return e.workload->name == s.workload && with_values(e.values, s.values);
        });
        if (found == needed.end()) {
            request one{.workloads = {s.workload},
                        .subjects = {s.subject},
                        .repeats = asked.repeats,
                        .warm_passes = asked.tiny ? std::optional{1} : std::nullopt};
            for (const auto& [name, value] : s.values)
                one.settings.push_back(name + "=" + value);
            if (cold_only)
                one.warm_passes = 0;
            needed.push_back(plan(all, one).front());
            return;
        }
        if (std::find(found->subjects.begin(), found->subjects.end(), subject) ==
            found->subjects.end())
            found->subjects.push_back(subject);
    };
    for (const seed_row& row : rows) {
        need(row.figure, row.cold_only);
        if (row.divided_by)
            need(*row.divided_by, row.cold_only);
        for (const auto& [times, added] : row.and_times)
            need(added, row.cold_only);
    }
    return needed;
}

std::vector<seed_result> seed_results(const std::vector<seed_row>& rows,
                                      const std::vector<outcome>& outcomes) {
    std::vector<seed_result> results;
    for (const seed_row& row : rows)
        results.push_back({row, value_of(outcomes, row, "cold"), value_of(outcomes, row, "warm")});
    for (seed_result& r : results)
        if (!r.cold && !r.warm)
            r.why = !r.row.why_not.empty()
                        ? r.row.why_not
                        : fmt::format("there are no figures of {} by {}{}{}", r.row.figure.workload,
                                      r.row.figure.subject, r.row.divided_by ? " or " : "",
                                      r.row.divided_by ? r.row.divided_by->subject : "");
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
            return grid::cell{ours && r.row.says ? short_number(*ours / *r.row.says) + "x" : "-"};
        };
        g.add({{r.row.document},
               {r.row.row},
               {r.row.quantity},
               r.row.says ? grid::cell{short_number(*r.row.says)} : grid::cell{"not given"},
               number(r.cold),
               number(r.warm),
               ratio(r.cold),
               ratio(r.warm)});
    }
    std::string text = g.text();
    std::set<std::string> told;
    for (const seed_result& r : results)
        if (!r.why.empty() && told.insert(r.row.document + r.why).second)
            text += fmt::format("{}: {}\n", r.row.document, r.why);
    return text;
}

} // namespace arenite::lab
