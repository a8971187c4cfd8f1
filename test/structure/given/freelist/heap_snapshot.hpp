// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/freelist/restorable_heap.hpp>

#include <cstdio>

inline arenite::restorable_heap heap{nullptr, 1 << 20};
inline void play() {}
