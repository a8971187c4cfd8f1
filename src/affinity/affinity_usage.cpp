// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// A usage node for each affinity. update() first drops the nodes of affinities that were retired,
// then adds those that came; name and place are compared, as another affinity may have the place of
// a retired one.
#include <arenite/affinity/affinity_usage.hpp>

#include <arenite/affinity/affinity_heap.hpp>

#include <algorithm>

namespace arenite {
inline namespace ARENITE_ABI {

affinity_usage::affinity::affinity(const affinity_heap& h, usage_node* parent)
    : heap{&h}, node{h.name(), h, parent} {}

void affinity_usage::update() {
    const auto all = affinity_heap::all();
    // Nodes lie in a list since a usage_node's parent holds its address: they may not move.
    each_.remove_if([&](const affinity& a) {
        return std::none_of(all.begin(), all.end(), [&](const affinity_heap& h) {
            return &h == a.heap && h.name() == a.node.name();
        });
    });
    for (const affinity_heap& h : all)
        if (std::none_of(each_.begin(), each_.end(),
                         [&](const affinity& a) { return a.heap == &h; }))
            each_.emplace_back(h, &all_);
}

} // namespace ARENITE_ABI
} // namespace arenite
