// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/affinity/affinity_heap.hpp>
#include <arenite/compose/sampled_resource.hpp>
#include <arenite/ordered/ordered_heap.hpp>
#include <arenite/report/sampled_site.hpp>
#include <arenite/report/usage_snapshot.hpp>
#include <iostream>
static arenite::affinity_heap& nodes_of_all = arenite::affinity_heap::named("nodes");
