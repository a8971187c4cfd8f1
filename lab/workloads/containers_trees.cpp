// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "../containers/filled.hpp"

// containers/set and containers/map; filled.hpp describes the work.
//
// The figures that tell most are `iterate` beside `iterate_aged`, and `refill` beside `fill`.
// Elements come in ascending order, so that neighbours in the tree are neighbours in time, and in
// memory where an allocator hands out fresh memory upward; a tree compares keys on its way, which
// makes the share of the allocator smaller than in lists.

namespace arenite::lab {
namespace {

using filled_set = filled<set_kind>;
ARENITE_LAB_WORKLOAD(filled_set);

using filled_map = filled<map_kind>;
ARENITE_LAB_WORKLOAD(filled_map);

} // namespace
} // namespace arenite::lab
