// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "../containers/filled.hpp"

// containers/forward_list and containers/list; filled.hpp describes the work.

namespace arenite::lab {
namespace {

using filled_forward_list = filled<forward_list_kind>;
ARENITE_LAB_WORKLOAD(filled_forward_list);

using filled_list = filled<list_kind>;
ARENITE_LAB_WORKLOAD(filled_list);

} // namespace
} // namespace arenite::lab
