// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/ordered/ordered_heap.hpp>
#include <arenite/pool/pool_resource.hpp>
static arenite::pool_resource s{arenite::slot{256, 16}};
static arenite::ordered_heap l;
