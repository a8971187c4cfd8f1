// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Lua with its memory in an affinity: a script, the end of memory, and the hook by itself.
#include <arenite/interop/lua.hpp>

#include "interop_test.hpp"

#include <lua.hpp>

#include <cstring>

using namespace interop_test;
using lua_memory = arenite::lua_memory<>;

namespace {

const char script[] = R"(
local t = {}
for i = 1, 20000 do t[i] = {name = "n" .. i, at = i} end
for i = 1, 20000, 2 do t[i] = nil end
local sum = 0
for _, v in pairs(t) do sum = sum + v.at end
return sum, string.rep("x", 300000))";

void a_script_runs() {
    lua_State* const state = lua_newstate(&lua_memory::allocate, nullptr);
    EXPECT(state != nullptr);
    luaL_openlibs(state);
    EXPECT(!luaL_dostring(state, script));
    EXPECT(lua_tointeger(state, -2) == 10000LL * 10001);
    EXPECT(lua_rawlen(state, -1) == 300'000);
    EXPECT(in_use<arenite::affinities::lua>() >= 1'000'000);
    EXPECT(is_reported("Lua"));
    lua_close(state);
    EXPECT(in_use<arenite::affinities::lua>() == 0);
}

void what_is_too_large_is_an_error_of_lua() {
    lua_State* const state = lua_newstate(&lua_memory::allocate, nullptr);
    luaL_openlibs(state);
    lua_pushcfunction(state, [](lua_State* s) {
        lua_newuserdatauv(s, std::size_t{1} << 55, 0);
        return 0;
    });
    EXPECT(lua_pcall(state, 0, 0, 0) == LUA_ERRMEM);
    EXPECT(!luaL_dostring(state, "return 1 + 1")); // and goes on
    lua_close(state);
}

void the_hook_by_itself() {
    EXPECT(lua_memory::allocate(nullptr, nullptr, 5, 0) == nullptr);
    EXPECT(lua_memory::allocate(nullptr, nullptr, 5, SIZE_MAX) == nullptr);
    void* p = lua_memory::allocate(nullptr, nullptr, LUA_TTABLE, 100);
    std::memset(p, 1, 100);
    EXPECT(lua_memory::allocate(nullptr, p, 100, SIZE_MAX) == nullptr);
    p = lua_memory::allocate(nullptr, p, 100, 1);
    EXPECT(p != nullptr && *static_cast<char*>(p) == 1);
    EXPECT(lua_memory::allocate(nullptr, p, 1, 0) == nullptr);
    EXPECT(in_use<arenite::affinities::lua>() == 0);
}

} // namespace

int main() {
    a_script_runs();
    what_is_too_large_is_an_error_of_lua();
    the_hook_by_itself();
    return result();
}
