// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "../containers/filled.hpp"

// containers/unordered_map; filled.hpp describes the work.

namespace arenite::lab {
namespace {

using filled_unordered_map = filled<unordered_map_kind>;
ARENITE_LAB_WORKLOAD(filled_unordered_map);

} // namespace
} // namespace arenite::lab
