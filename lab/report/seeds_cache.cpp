// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "seeds_cache.hpp"

#include <cstddef>
#include <string>

namespace arenite::lab {
namespace {

/// Table 3.1: an Intel Core i7-6700k.
void add_table_3_1(std::vector<seed_row>& rows) {
    struct given {
        const char* level;
        double kib, ways, cycles;
    };
    constexpr given table[]{{"L1", 32, 8, 4}, {"L2", 256, 4, 12}, {"L3", 8192, 16, 42}};
    for (const given& g : table) {
        const std::string level = g.level;
        const auto row = [&](const std::string& quantity, double says, const std::string& metric,
                             const char* subject) {
            rows.push_back({"seed 3, table 3.1", level, quantity, says,
                            seed_row::source{"cache/levels", {}, level + " " + metric, subject}});
        };
        row("size, KiB", g.kib, "size", "malloc");
        row("ways", g.ways, "ways", "malloc");
        row("latency, cycles", g.cycles, "latency", "malloc");
        row("latency, cycles, huge pages", g.cycles, "latency", "malloc-thp");
    }
}

/// Figures 3.5 and 3.6: curves without numbers, of which the text says where their steps are.
void add_figures_3_5_and_3_6(std::vector<seed_row>& rows, seed_scale scale) {
    const std::string to = scale == seed_scale::full   ? "28"
                           : scale == seed_scale::tiny ? "23"
                                                       : "26";
    const std::string largest = "2^" + to;
    struct working_set {
        std::string metric;
        const char* where;
    };
    const working_set sets[]{
        {"2^14", "in L1"}, {"2^17", "in L2"}, {"2^22", "in L3"}, {largest, "in memory"}};
    std::vector<const char*> pads{"0", "7", "63"};
    if (scale == seed_scale::full)
        pads = {"0", "7", "15", "31", "63"};
    for (const char* pad : pads) {
        for (const working_set& set : sets) {
            const auto measured = [&](const char* order) {
                return seed_row::source{"cache/list",
                                        {{"order", order}, {"pad", pad}, {"to", to}},
                                        set.metric,
                                        "malloc"};
            };
            const std::string row =
                std::string{"pad "} + pad + ", " + set.metric + " bytes, " + set.where;
            rows.push_back({"seed 3, figure 3.5", row, "cycles/node, linear", std::nullopt,
                            measured("linear")});
            rows.push_back({"seed 3, figure 3.6", row, "cycles/node, random", std::nullopt,
                            measured("random")});
        }
    }
}

/// Figures 3.7 and 3.8: the same with the prefetcher switched off.
void add_figures_3_7_and_3_8(std::vector<seed_row>& rows) {
    const auto row = [&](const char* figure, const char* quantity) {
        rows.push_back({.document = figure,
                        .row = "without the prefetcher",
                        .quantity = quantity,
                        .says = std::nullopt,
                        .figure = {},
                        .why_not = "the prefetcher is switched off by a register of the processor "
                                   "that only the system may write; table 3.2's simulated cache "
                                   "has none"});
    };
    row("seed 3, figure 3.7", "cycles/node, linear");
    row("seed 3, figure 3.8", "cycles/node, random");
}

/// Table 3.2: misses that cachegrind counts, a list of 2^28 bytes.
void add_table_3_2(std::vector<seed_row>& rows, seed_scale scale) {
    const bool full = scale == seed_scale::full;
    const std::string to = full ? "28" : scale == seed_scale::tiny ? "16" : "26";
    struct given {
        const char *order, *pad;
        double first_level, last_level;
        bool quick;
    };
    constexpr given table[]{
        {"linear", "0", 0.125, 0.125, true},   {"linear", "7", 0.999, 0.999, true},
        {"linear", "15", 0.999, 0.999, false}, {"linear", "31", 1, 1, false},
        {"linear", "63", 0.999, 0.999, false}, {"random", "0", 0.999, 0.969, true},
        {"random", "7", 1, 1, true},           {"random", "15", 1, 1, false},
        {"random", "31", 1, 1, false},         {"random", "63", 1, 1, false}};
    for (const given& g : table) {
        if (!full && !g.quick)
            continue;
        const auto row = [&](const char* quantity, double says, const char* metric) {
            rows.push_back({"seed 3, table 3.2",
                            std::string{g.order} + ", pad " + g.pad +
                                (full ? "" : ", 2^" + to + " bytes here"),
                            quantity, says,
                            seed_row::source{"cache/misses",
                                             {{"order", g.order}, {"pad", g.pad}, {"to", to}},
                                             metric,
                                             "malloc"}});
        };
        row("L1 misses a read", g.first_level, "first_level");
        row("last level's misses a read", g.last_level, "last_level");
    }
}

/// Figures 3.9 and 3.10: the text gives the least and the greatest speedup.
void add_figure_3_10(std::vector<seed_row>& rows, seed_scale scale) {
    const auto row = [&](const char* n, const char* name, std::optional<double> says) {
        const auto measured = [n](const char* form) {
            return seed_row::source{
                "cache/matrix", {{"form", form}, {"rows", n}}, "multiply_ticks", "malloc"};
        };
        rows.push_back(
            {"seed 3, figure 3.9", name, "cycles, naive", std::nullopt, measured("naive")});
        rows.push_back({"seed 3, figure 3.9", name, "cycles, transposed", std::nullopt,
                        measured("transposed")});
        rows.push_back({"seed 3, figure 3.10", name, "naive/transposed", says, measured("naive"),
                        measured("transposed")});
    };
    row("200", "200 x 100", 2.08);
    if (scale == seed_scale::tiny)
        row("300", "300 x 200", std::nullopt);
    else
        row("1000", "1000 x 900", std::nullopt);
    if (scale == seed_scale::full)
        row("2000", "2000 x 1900", 8);
}

/// Figure 6.9: bars without numbers.
void add_figure_6_9(std::vector<seed_row>& rows, seed_scale scale) {
    for (const char* count : {"5000", scale == seed_scale::full ? "5000000" : "1000000"}) {
        const auto measured = [count](const char* form) {
            return seed_row::source{
                "soa/particles", {{"form", form}, {"count", count}}, "update", "malloc"};
        };
        const std::string row = std::string{count} + " particles";
        const auto add = [&](const char* quantity, const char* form, const char* divisor) {
            seed_row r{"seed 3, figure 6.9", row, quantity, std::nullopt, measured(form)};
            if (divisor != nullptr)
                r.divided_by = measured(divisor);
            rows.push_back(std::move(r));
        };
        add("ns/particle, AoS", "aos", nullptr);
        add("ns/particle, SoA", "soa", nullptr);
        add("AoS/SoA", "aos", "soa");
        add("SoA/arrays by hand", "soa", "arrays");
        rows.push_back({"seed 3, figure 6.9", row + ", SoA in blocks of 8", "AoS/SoA", std::nullopt,
                        measured("aos"), measured("aosoa8")});
    }
}

/// Frames of a headset, 90 a second: the document says what time each has, and that misses of the
/// last level are what costs it; both without figures of programs. Here: a scene that new and
/// delete of the C++ library just carry (frames/vr), and what cachegrind counts of its frames.
void add_frames(std::vector<seed_row>& rows, seed_scale scale) {
    const bool tiny = scale == seed_scale::tiny;
    const auto row = [&](const char* document, const char* name, const char* quantity,
                         const parameter_values& values, const char* metric, bool cold_only) {
        for (const char* subject : {"std", "arenite.chosen"})
            rows.push_back({.document = document,
                            .row = std::string{name} + ", " + subject,
                            .quantity = quantity,
                            .says = std::nullopt,
                            .figure = {"frames/vr", values, metric, subject},
                            .cold_only = cold_only});
    };
    const parameter_values played{
        {"counted", "no"}, {"frames", tiny ? "100" : "300"}, {"load", tiny ? "5" : "0"}};
    const auto frames = [&](const char* quantity, const char* metric) {
        row("seed 3, 4.1", "as much as new carries", quantity, played, metric, false);
    };
    frames("% of frames over 11.1 ms", "missed");
    frames("ms a frame, 99th percentile", "frame_p99");
    frames("us for memory, 99.9th", "alloc_p999");

    const parameter_values counted{
        {"counted", "yes"}, {"frames", "100"}, {"load", tiny ? "1" : "10"}};
    const auto misses = [&](const char* quantity, const char* metric) {
        row("seed 3, 3.1.8", "load 10 %", quantity, counted, metric, true);
    };
    misses("last level's misses a frame", "last_level");
    misses("L1 misses a frame", "first_level");
}

} // namespace

void add_cache(std::vector<seed_row>& rows, seed_scale scale) {
    const auto first = static_cast<std::ptrdiff_t>(rows.size());
    add_table_3_1(rows);
    add_figures_3_5_and_3_6(rows, scale);
    add_figures_3_7_and_3_8(rows);
    add_table_3_2(rows, scale);
    add_figure_3_10(rows, scale);
    add_figure_6_9(rows, scale);
    for (auto row = rows.begin() + first; row != rows.end(); ++row)
        row->cold_only = true; // each makes its objects before it is timed
    add_frames(rows, scale);
}

} // namespace arenite::lab
