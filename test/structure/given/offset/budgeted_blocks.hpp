// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/offset/offset_heap.hpp>

struct device_limits {};
struct device_blocks {
    arenite::offset_source source();
    arenite::offset_heap_options parts(device_limits);
};
extern device_blocks blocks;
extern device_limits limits;
extern arenite::budget_group all;
