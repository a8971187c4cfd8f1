// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/arenite.hpp>

#include <cstddef>

std::size_t bytes_of_nodes() {
    const arenite::affinity_heap* const nodes = arenite::affinity_heap::find("nodes");
    return nodes == nullptr ? 0 : nodes->usage().bytes_in_use;
}

std::size_t live_objects(const arenite::ordered_heap& heap) {
    return heap.usage().live_allocations;
}
