// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/ordered/ordered_heap.hpp>

inline arenite::ordered_heap the_level_heap;
