// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <cstdlib>

extern "C" void* make_70001() { return std::malloc(70001); }
