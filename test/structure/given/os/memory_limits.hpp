// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/compose/budget_group.hpp>

#include <vector>

static std::vector<int> caches;
