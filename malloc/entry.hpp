// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

// The functions that a program sees of this library; exports.map lists the same names.
#define MALLOC_ENTRY extern "C" __attribute__((visibility("default")))
#define NEW_ENTRY __attribute__((visibility("default")))
