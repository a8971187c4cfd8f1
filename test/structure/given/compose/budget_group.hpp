// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/compose/budgeted_resource.hpp>
#include <arenite/offset/budgeted_blocks.hpp>
#include <arenite/ordered/ordered_heap.hpp>

struct device_blocks {
    arenite::offset_source source();
};
extern device_blocks blocks;
