// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <features.h>

// The functions that a program sees of this library; exports.map lists the same names.
#define MALLOC_ENTRY extern "C" __attribute__((visibility("default")))
#define NEW_ENTRY __attribute__((visibility("default")))

// As the C library's headers declare malloc and its like: glibc's say that they do not throw.
#if defined(__GLIBC__)
#define MALLOC_NOEXCEPT noexcept
#else
#define MALLOC_NOEXCEPT
#endif
