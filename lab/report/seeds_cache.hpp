// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include "seeds.hpp"

namespace arenite::lab {

/// The measurements of Kaltenbrunn's chapters 3 and 6.2.1: the levels of the cache, lists,
/// matrices, and particles in columns.
void add_cache(std::vector<seed_row>& rows, seed_scale scale);

} // namespace arenite::lab
