// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "walks.hpp"

#include <algorithm>
#include <set>

namespace arenite::advisor {
namespace {

/// The site of each call stack, or SIZE_MAX.
std::vector<std::size_t> sites_by_stack(const profile& p, const std::vector<site>& sites) {
    std::vector<std::size_t> of(p.stacks().size(), SIZE_MAX);
    for (std::size_t i = 0; i < sites.size(); ++i)
        for (const std::uint32_t s : sites[i].stacks)
            of[s] = i;
    return of;
}

/// The sites of a sample: each once, though several of its stacks may have been met.
std::set<std::size_t> met_in(const std::vector<std::uint32_t>& stacks,
                             const std::vector<std::size_t>& site_of) {
    std::set<std::size_t> met;
    for (const std::uint32_t s : stacks)
        if (s < site_of.size() && site_of[s] != SIZE_MAX)
            met.insert(site_of[s]);
    return met;
}

} // namespace

std::vector<site_walks> walks_of(const profile& p, const std::vector<site>& sites) {
    std::vector<site_walks> all(sites.size());
    const std::vector<std::size_t> site_of = sites_by_stack(p, sites);
    const auto add = [](walked& to, const walked& w) {
        to.steps += w.steps;
        to.in_order += w.in_order;
        to.near += w.near;
    };
    for (std::size_t i = 0; i < sites.size(); ++i)
        for (const std::uint32_t s : sites[i].stacks)
            add(all[i].within, p.touched().within(s));
    p.touched().each_sample([&](const auto& stacks, std::uint64_t count) {
        for (const std::size_t i : met_in(stacks, site_of))
            all[i].samples += count;
    });
    p.touched().each_pair([&](std::uint32_t from, std::uint32_t to, const walked& w) {
        if (from < site_of.size() && to < site_of.size() && site_of[from] != SIZE_MAX &&
            site_of[to] != SIZE_MAX)
            add(all[site_of[from]].next[site_of[to]], w);
    });
    return all;
}

std::vector<site_phase> phases_of(const profile& p, const std::vector<site>& sites) {
    std::vector<site_phase> all;
    if (p.marks() == 0 || p.touched().samples() == 0)
        return all;
    const std::vector<std::size_t> site_of = sites_by_stack(p, sites);
    for (const touched_phase& t : p.touched().phases()) {
        site_phase made{t.first_mark, t.last_mark, t.samples, t.samples_in_objects, {}};
        std::map<std::size_t, std::uint64_t> by_site;
        for (const auto& [stacks, count] : t.by_stacks)
            for (const std::size_t i : met_in(stacks, site_of))
                by_site[i] += count;
        made.by_site.assign(by_site.begin(), by_site.end());
        std::stable_sort(made.by_site.begin(), made.by_site.end(),
                         [](const auto& a, const auto& b) { return a.second > b.second; });
        all.push_back(std::move(made));
    }
    return all;
}

} // namespace arenite::advisor
