// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "../containers/filled.hpp"

// containers/forward_list and containers/list; filled.hpp describes the work.
//
// The figures that tell most are `iterate` beside `iterate_aged`, which differ by the order in
// which the allocator hands out freed nodes, and `refill` beside `fill`, which differ by whether
// memory was kept. A walk over a list depends on the order of its nodes in memory and on nothing
// else.

namespace arenite::lab {
namespace {

using filled_forward_list = filled<forward_list_kind>;
ARENITE_LAB_WORKLOAD(filled_forward_list);

using filled_list = filled<list_kind>;
ARENITE_LAB_WORKLOAD(filled_list);

} // namespace
} // namespace arenite::lab
