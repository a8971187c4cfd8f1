// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "../containers/filled.hpp"

// containers/unordered_map; filled.hpp describes the work.
//
// An insert now and then allocates the table of buckets anew: `fill` has these large arrays, too,
// and `refill` does not, as clear() keeps the table.

namespace arenite::lab {
namespace {

using filled_unordered_map = filled<unordered_map_kind>;
ARENITE_LAB_WORKLOAD(filled_unordered_map);

} // namespace
} // namespace arenite::lab
