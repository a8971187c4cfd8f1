// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/ordered/ordered_heap.hpp>
#include <arenite/os/page_resource.hpp>
