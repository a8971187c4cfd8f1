// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/core/literals.hpp>
#include <arenite/offset/offset_allocator.hpp>
extern arenite::offset_allocator gpu;
void copy(const arenite::offset_allocation& from, const arenite::offset_allocation& to);
