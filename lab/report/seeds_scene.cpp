// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "seeds_scene.hpp"

#include <string>
#include <utility>

namespace arenite::lab {
namespace {

// The allocators by the documents' names: its first one, its second one, new and delete; and ours.
constexpr const char* slots = "arenite.affinity.slots";
constexpr const char* intrusive = "arenite.affinity.intrusive";
constexpr const char* standard = "std";
constexpr const char* ours = "arenite.affinity";

class document {
public:
    document(std::vector<seed_row>& rows, const char* name, const char* row, const char* workload,
             parameter_values values)
        : rows_{rows}, name_{name}, row_{row}, workload_{workload}, values_{std::move(values)} {}

    /// One figure of one subject, times `scale`.
    void figure(const char* quantity, std::optional<double> says, const char* metric,
                const char* subject, double scale = 1) {
        rows_.push_back({name_, row_, quantity, says, source(metric, subject), {}, scale});
    }

    /// How many times as long (as much) one subject takes as the other.
    void ratio(const char* quantity, std::optional<double> says, const char* metric,
               const char* subject, const char* divisor) {
        rows_.push_back(
            {name_, row_, quantity, says, source(metric, subject), source(metric, divisor)});
    }

private:
    [[nodiscard]] seed_row::source source(const char* metric, const char* subject) const {
        return {workload_, values_, metric, subject};
    }

    std::vector<seed_row>& rows_;
    std::string name_, row_;
    const char* workload_;
    parameter_values values_;
};

/// "Block allocation with vsg::Allocator": a city model, traversed and drawn. Its city is not to be
/// had; here it is scene/model's. What it calls the default allocator is the first one.
void add_block_allocation(std::vector<seed_row>& rows) {
    const parameter_values city{
        {"nodes", "300000"}, {"grain", "subtree"}, {"readd", "scene"}, {"rounds", "3"}};
    const auto of = [&](const char* row) {
        return document{rows, "seed 0", row, "scene/model", city};
    };
    document traversals = of("10000 traversals of a city");
    traversals.ratio("times, new against default: +90 %", 3087.37 / 1628.76, "traverse", standard,
                     slots);
    traversals.ratio("times, new against ours", std::nullopt, "traverse", standard, ours);

    // No graphics processor here: what is drawn is culled, and a command recorded for each.
    document frames = of("frames of cull and record");
    frames.ratio("times, new against default: +42 %", 1618.85 / 1143.24, "frame", standard, slots);
    frames.ratio("times, new against ours", std::nullopt, "frame", standard, ours);
    frames.figure("us a frame, ours; its is 1618.85 fps", std::nullopt, "frame", ours);

    document load = of("load 92.06 ms, new 71.15");
    load.ratio("times, default against new", 92.0588 / 71.1517, "load", slots, standard);
    load.ratio("times, ours against new", std::nullopt, "load", ours, standard);
    document release = of("release 89.33 ms, new 37.74");
    release.ratio("times, default against new", 89.3268 / 37.7424, "destroy", slots, standard);
    release.ratio("times, ours against new", std::nullopt, "destroy", ours, standard);
    document end = of("delete the allocator");
    end.figure("ms, default allocator", 5.52642, "give_back", slots, 1e-3);
    end.figure("ms, new and delete", 0.00416, "give_back", standard, 1e-3);
    end.figure("ms, ours", std::nullopt, "give_back", ours, 1e-3);
}

/// "New memory allocator : vsg::InstrusiveAllocator": its tables are pictures; what the text says.
void add_intrusive_allocator(std::vector<seed_row>& rows, seed_scale scale) {
    const bool full = scale == seed_scale::full;
    const parameter_values tree{{"form", "group"}, {"levels", full ? "12" : "10"}};
    const char* const name = full ? "12 levels" : "12 levels, 10 here";
    document t{rows, "seed 1", name, "scene/quadtree", tree};
    t.ratio("times, create: first/second", 6, "create", slots, intrusive);
    t.ratio("times, destroy: first/second", 5.8, "destroy", slots, intrusive);
    t.ratio("times, create: first/new", 5.76, "create", slots, standard);
    t.ratio("times, destroy: first/new", 7.56, "destroy", slots, standard);
    t.ratio("times, create: second/new (\"similar\")", std::nullopt, "create", intrusive, standard);
    t.ratio("times, destroy: second/new (\"a bit slower\")", std::nullopt, "destroy", intrusive,
            standard);
    t.ratio("times, create: second/ours", std::nullopt, "create", intrusive, ours);
    t.ratio("times, destroy: second/ours", std::nullopt, "destroy", intrusive, ours);
    t.figure("bytes a node of 38, first", std::nullopt, "resident", slots);
    t.figure("bytes a node of 38, second", std::nullopt, "resident", intrusive);
    t.figure("bytes a node of 38, new", std::nullopt, "resident", standard);
    t.figure("bytes a node of 38, ours", std::nullopt, "resident", ours);

    document o{rows, "seed 1", full ? "OpenSceneGraph, 12 levels" : "OpenSceneGraph, 10 levels",
               "scene/quadtree", tree};
    constexpr const char* osg = "osg.group";
    o.ratio("times, create: OSG/second", 8, "create", osg, intrusive);
    o.ratio("times, create: OSG/ours", std::nullopt, "create", osg, ours);
    o.ratio("times, traverse: OSG/second", 13.5, "traverse", osg, intrusive);
    o.ratio("times, traverse: OSG/ours", std::nullopt, "traverse", osg, ours);
    o.ratio("times, destroy: OSG/second", 2, "destroy", osg, intrusive);
    o.ratio("times, destroy: OSG/ours", std::nullopt, "destroy", osg, ours);
    o.ratio("times, memory: OSG/second", 6, "resident", osg, intrusive);
    o.ratio("times, memory: OSG/ours", std::nullopt, "resident", osg, ours);

    const parameter_values city{
        {"nodes", "300000"}, {"grain", "subtree"}, {"readd", "scene"}, {"rounds", "3"}};
    document c{rows, "seed 1", "100000 traversals of a city", "scene/model", city};
    c.ratio("times, new/second", 2.2, "traverse", standard, intrusive);
    c.ratio("times, first/second", 1.02, "traverse", slots, intrusive);
    c.ratio("times, new/ours", std::nullopt, "traverse", standard, ours);
    document p{rows, "seed 1", "frames of a paged scene, cull and record", "scene/model", city};
    p.ratio("times, first/second: 308 to 312 fps", 312.0 / 308, "frame_aged", slots, intrusive);
    p.ratio("times, second/ours", std::nullopt, "frame_aged", intrusive, ours);
}

/// MemorySlots, its first allocator's bookkeeping: the document says without a number that the cost
/// is of O(log n), and that its maps more than double the memory of small nodes. Parts of 256 B to
/// 64 KiB, of which one is released and another reserved.
void add_memory_slots(std::vector<seed_row>& rows, seed_scale scale) {
    constexpr const char* described = "memory_slots";
    constexpr const char* made = "arenite.memory_slots";
    const bool tiny = scale == seed_scale::tiny;
    const std::string few = tiny ? "10" : "1000", most = tiny ? "1000" : "100000";
    const auto at = [](const std::string& live, const char* metric, const char* subject) {
        return seed_row::source{
            "offset/churn", {{"alignment", "16"}, {"live", live}}, metric, subject};
    };
    const auto row = [&](const std::string& quantity, seed_row::source figure,
                         std::optional<seed_row::source> divided_by = {}) {
        rows.push_back({.document = "seed 1, MemorySlots",
                        .row = "slots of a range",
                        .quantity = quantity,
                        .says = std::nullopt,
                        .figure = std::move(figure),
                        .divided_by = std::move(divided_by)});
    };
    for (const std::string& live : {few, most}) {
        const std::string among = "among " + live + ", ";
        row("ns a pair " + among + "as described", at(live, "pair", described));
        row("ns a pair " + among + "ours", at(live, "pair", made));
        row("times, " + among + "described/ours", at(live, "pair", described),
            at(live, "pair", made));
    }
    const std::string against = "times, " + most + " against " + few + ", ";
    row(against + "as described: O(log n)", at(most, "pair", described),
        at(few, "pair", described));
    row(against + "ours: O(1)", at(most, "pair", made), at(few, "pair", made));
    for (const auto& [whose, subject] : {std::pair{"as described", described}, {"ours", made}}) {
        row(std::string{"bytes beside the range a slot, "} + whose,
            at(most, "bookkeeping", subject));
        rows.back().cold_only = true;
    }
}

/// "Hundreds of millions of allocations or even billions": what an object costs among so many, and
/// against what it costs among ten million.
void add_very_many(std::vector<seed_row>& rows, seed_scale scale) {
    const char* const most = scale == seed_scale::full    ? "500000000"
                             : scale == seed_scale::quick ? "50000000"
                                                          : "10000";
    const char* const few = scale == seed_scale::tiny ? "1000" : "10000000";
    for (const char* subject : {"arenite.ordered", "malloc"}) {
        const auto at = [&](const char* count) {
            return seed_row::source{"scale/objects",
                                    {{"sizes", "16"}, {"objects", most}},
                                    std::string{"object_at_"} + count,
                                    subject};
        };
        const auto row = [&](const std::string& quantity, const char* count) {
            rows.push_back({.document = "seed 1, hundreds of millions",
                            .row = "objects of 16 bytes, made and freed",
                            .quantity = quantity + ", " + subject,
                            .says = std::nullopt,
                            .figure = at(count)});
        };
        row("ns each of 1000", "1000");
        if (scale != seed_scale::tiny)
            row(std::string{"ns each of "} + few, few);
        row(std::string{"ns each of "} + most, most);
        row(std::string{"times, "} + most + " against " + few, most);
        rows.back().divided_by = at(few);
    }
}

} // namespace

void add_scene_graph(std::vector<seed_row>& rows, seed_scale scale) {
    add_block_allocation(rows);
    add_intrusive_allocator(rows, scale);
    add_memory_slots(rows, scale);
    add_very_many(rows, scale);
}

} // namespace arenite::lab
