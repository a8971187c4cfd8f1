// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "../containers/filled.hpp"

// containers/set and containers/map; filled.hpp describes the work.

namespace arenite::lab {
namespace {

using filled_set = filled<set_kind>;
ARENITE_LAB_WORKLOAD(filled_set);

using filled_map = filled<map_kind>;
ARENITE_LAB_WORKLOAD(filled_map);

} // namespace
} // namespace arenite::lab
