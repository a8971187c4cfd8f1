// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
// What SDL_stdinc.h declares.
int SDL_SetMemoryFunctions(void* (*)(std::size_t), void* (*)(std::size_t, std::size_t),
                           void* (*)(void*, std::size_t), void (*)(void*));
