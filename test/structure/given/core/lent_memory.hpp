// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/os/page_resource.hpp>

#include <cstring>

using arenite::page_source;
using arenite::page_use;
extern std::size_t bytes;
extern std::size_t alignment;
