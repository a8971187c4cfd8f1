// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
// What btAlignedAllocator.h declares.
void btAlignedAllocSetCustom(void* (*allocate)(std::size_t), void (*free)(void*));
void btAlignedAllocSetCustomAligned(void* (*allocate)(std::size_t, int), void (*free)(void*));
