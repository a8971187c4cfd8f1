// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "advice_json.hpp"

#include "../analysis/walks.hpp"

#include <nlohmann/json.hpp>

namespace arenite::advisor {
namespace {

using nlohmann::json;

json of_difference(const difference_made& d, const program_costs& of) {
    return {{"saved_ns", d.saved_ns},
            {"saved_unread_ns", d.tried_unread ? json(d.saved_unread_ns) : json()},
            {"spread_ns", d.one_turn ? json() : json(d.spread_ns)},
            {"saved_bytes", d.saved_bytes},
            {"saved_faults", d.saved_faults},
            {"walk_ns_before", d.walk_before},
            {"walk_ns_after", d.walk_after},
            {"saved_in_walks_ns", saved_in_walks(d, of)},
            {"saved_in_all_ns", saved_in_all(d, of)},
            {"saved_at_least_ns", range_of(d, of).least},
            {"saved_at_most_ns", range_of(d, of).most},
            {"access_ns_before", d.burst_before},
            {"access_ns_after", d.burst_after}};
}

const char* of_worth(worth w) {
    switch (w) {
    case worth::time:
        return "time";
    case worth::memory:
        return "memory";
    case worth::walks:
        return "walks";
    case worth::nothing:
        break;
    }
    return "nothing";
}

json of_advice(const advice& a, const advice_report& r) {
    const std::vector<site>& sites = r.sites;
    const program_costs& costs = r.costs;
    const bool marked = r.recorded->marks() != 0; // else nothing can die before a mark
    json made{{"remedy", word_of(a.proposed.what)},
              {"title", title_of(a.proposed, sites)},
              {"code", code_of(a.proposed, sites)},
              {"worth", of_worth(a.is_worth)},
              {"difference", of_difference(a.difference, costs)},
              {"held_bytes", a.held_bytes},
              {"sites", json::array()}};
    if (a.tested)
        made["tested"] = {{"sites_found", a.tested->sites_found},
                          {"worth", of_worth(a.tested->is_worth)},
                          {"cpu_ns", a.tested->costs.cpu_ns},
                          {"difference", of_difference(a.tested->difference, a.tested->costs)}};
    for (const std::size_t i : a.proposed.sites) {
        const site& s = sites[i];
        made["sites"].push_back({{"name", s.name},
                                 {"under", s.under},
                                 {"place", s.place},
                                 {"container", s.container},
                                 {"allocations", s.sum.allocations},
                                 {"bytes", s.sum.bytes},
                                 {"smallest", s.sum.smallest},
                                 {"largest", s.sum.largest},
                                 {"short_lived", s.sum.short_lived},
                                 {"died_in_frame", marked ? json(s.sum.died_in_frame) : json()},
                                 {"copied_by_growth", s.sum.copied - s.sum.stayed},
                                 {"longest_chain", s.sum.longest_chain}});
    }
    return made;
}

/// Samples between the program's marks.
json of_phases(const advice_report& r) {
    json all = json::array();
    for (const site_phase& p : phases_of(*r.recorded, r.sites)) {
        json made{{"from_mark", p.first_mark},
                  {"to_mark", p.first_mark > r.recorded->marks() ? json{} : json(p.last_mark)},
                  {"samples", p.samples},
                  {"samples_in_objects", p.samples_in_objects},
                  {"sites", json::array()}};
        for (const auto& [site, samples] : p.by_site)
            made["sites"].push_back({{"name", r.sites[site].name}, {"samples", samples}});
        all.push_back(std::move(made));
    }
    return all;
}

} // namespace

std::string advice_as_json(const advice_report& r) {
    json made{
        {"schema", 1},
        {"verdict", r.first_line},
        {"program", r.program},
        {"damage", r.damage},
        {"fewer_frames", r.fewer_frames},
        {"sparse", r.sparse},
        {"ended_badly", r.ended_badly},
        {"cpu_ns", r.costs.cpu_ns},
        {"cpu_is_known", r.costs.cpu_is_known},
        {"cpu_is_native", r.costs_are_native},
        {"peak_resident_bytes", r.costs.peak_bytes},
        {"events", r.events},
        {"marks", r.recorded->marks()},
        {"replayed_share", r.costs.replayed_share},
        {"share_in_objects", r.costs.share_in_objects},
        {"reads_what_it_frees", r.costs.knows_reads ? json(r.costs.reads_what_it_frees) : json()},
        {"phases", of_phases(r)},
        {"malloc_ns", r.malloc_ns},
        {"together", of_difference(r.all_advised, r.costs)},
        {"advice", json::array()},
        {"leave_alone", json::array()},
        {"mallocs", json::array()}};
    for (const advice& a : r.advised)
        made["advice"].push_back(of_advice(a, r));
    for (const advice& a : r.tried) {
        made["leave_alone"].push_back(of_advice(a, r));
        made["leave_alone"].back()["overlap"] = overlap_text(r, a);
    }
    for (const other_malloc& m : r.mallocs)
        made["mallocs"].push_back({{"name", m.name},
                                   {"worth", of_worth(m.is_worth)},
                                   {"difference", of_difference(m.difference, r.costs)}});
    return made.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

} // namespace arenite::advisor
