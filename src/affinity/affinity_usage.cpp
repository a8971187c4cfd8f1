// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/affinity/affinity_usage.hpp>

#include <arenite/affinity/affinity_heap.hpp>

namespace arenite {
inline namespace ARENITE_ABI {

void affinity_usage::update() {
    while (each_.size() < affinity_heap::count()) {
        const affinity_heap& next = affinity_heap::by_index(each_.size());
        each_.emplace_back(next.name(), next, &all_);
    }
}

} // namespace ARENITE_ABI
} // namespace arenite
