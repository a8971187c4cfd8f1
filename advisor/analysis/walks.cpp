// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "walks.hpp"

#include <set>

namespace arenite::advisor {

std::vector<site_walks> walks_of(const profile& p, const std::vector<site>& sites) {
    std::vector<site_walks> all(sites.size());
    std::vector<std::size_t> site_of(p.stacks().size(), SIZE_MAX);
    const auto add = [](walked& to, const walked& w) {
        to.steps += w.steps;
        to.in_order += w.in_order;
        to.near += w.near;
    };
    for (std::size_t i = 0; i < sites.size(); ++i)
        for (const std::uint32_t s : sites[i].stacks) {
            site_of[s] = i;
            add(all[i].within, p.touched().within(s));
        }
    p.touched().each_sample([&](const auto& stacks, std::uint64_t count) {
        std::set<std::size_t> met; // a site may have several of these stacks
        for (const std::uint32_t s : stacks)
            if (s < site_of.size() && site_of[s] != SIZE_MAX)
                met.insert(site_of[s]);
        for (const std::size_t i : met)
            all[i].samples += count;
    });
    p.touched().each_pair([&](std::uint32_t from, std::uint32_t to, const walked& w) {
        if (from < site_of.size() && to < site_of.size() && site_of[from] != SIZE_MAX &&
            site_of[to] != SIZE_MAX)
            add(all[site_of[from]].next[site_of[to]], w);
    });
    return all;
}

} // namespace arenite::advisor
