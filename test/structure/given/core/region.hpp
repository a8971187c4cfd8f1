// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
struct {
    void list_regions(arenite::region_sink& sink);
} heap;
