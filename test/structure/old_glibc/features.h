// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma GCC system_header
// The C library takes itself for 2.28.
#include_next <features.h>
#undef __GLIBC_MINOR__
#define __GLIBC_MINOR__ 28
