// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
// What lua.h declares.
struct lua_State;
lua_State* lua_newstate(void* (*)(void*, void*, std::size_t, std::size_t), void* user);
