// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/compose/sampled_callbacks.hpp>
#include <arenite/ordered/ordered_heap.hpp>
static arenite::ordered_heap heap;
inline void note(const arenite::sampled_callbacks::event&, void*) {}
inline void forget(const arenite::sampled_callbacks::event&, void*) {}
