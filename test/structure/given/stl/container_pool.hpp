// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/stl/pool_allocator.hpp>

#include <cstddef>
#include <list>

inline std::byte buffer[8192];
