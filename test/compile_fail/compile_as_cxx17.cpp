// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
// expected: Arenite needs C\+\+20
// flags: -std=c++17
#include <arenite/core/config.hpp>
