// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/core/literals.hpp>

using namespace arenite::literals;
extern std::size_t bytes;
extern std::size_t alignment;
