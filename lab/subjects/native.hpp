// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

// The subjects that need no library but Arenite's and the C++ compiler's own.

#include "arenite.hpp"
#include "std.hpp"

namespace arenite::lab {

using subjects = subject_list<ordered_as<ordered_retaining>, ordered_as<ordered_by_default>,
                              ordered_as<ordered_magazine>, ordered_as<ordered_kept>,
                              ordered_virtual, linear, std_new, c_malloc, pmr_pool>;

} // namespace arenite::lab
