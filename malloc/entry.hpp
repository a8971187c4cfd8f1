// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <features.h>

// The functions that a program sees of this library; exports.map lists the same names.
#define MALLOC_ENTRY extern "C" __attribute__((visibility("default")))
#define NEW_ENTRY __attribute__((visibility("default")))

// glibc declares that malloc and its like do not throw; other C libraries leave that open.
#if defined(__GLIBC__)
#define MALLOC_NOEXCEPT noexcept
#else
#define MALLOC_NOEXCEPT
#endif
