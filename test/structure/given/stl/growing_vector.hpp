// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/ordered/ordered_heap.hpp>

static arenite::ordered_heap heap;
