// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/core/detail/same_build.hpp>

const char ARENITE_SAME_BUILD = 1;
