// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/linear/linear_resource.hpp>

struct node;
extern arenite::linear_resource& arena;
extern std::size_t bytes;
