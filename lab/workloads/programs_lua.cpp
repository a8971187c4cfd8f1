// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "../probes/clock.hpp"
#include "../workload.hpp"
#include "programs/program.hpp"

#include <arenite/interop/lua.hpp>

#include <cstddef>
#include <cstdint>
#include <lua.hpp>
#include <stdexcept>
#include <string_view>

// programs/lua: Lua 5.4 runs programs that live on tables, its memory taken by a lua_Alloc.
//
// `trees`     binary trees of 14 levels are made and counted, `rounds` of them
// `records`   100,000 tables of five fields; a random third of them is replaced `rounds` times
// `strings`   words are joined, cut and counted in tables
// `close`     what still lives is freed by lua_close
//
// Ours is the hook of interop/lua.hpp as users plug it in. The others are what Lua comes with, a
// lua_Alloc that calls realloc and free.

namespace arenite::lab {
namespace {

struct lua_workload_memory {
    static constexpr std::string_view name = "lab: Lua";
};

constexpr const char* lua_parts = R"(
local function tree(levels)
  if levels == 0 then return {} end
  return { tree(levels - 1), tree(levels - 1) }
end
local function count(t)
  return t[1] and 1 + count(t[1]) + count(t[2]) or 1
end
function trees(rounds)
  local sum = 0
  for _ = 1, rounds do sum = sum + count(tree(14)) end
  return sum
end

local state = 1
local function random(below)
  state = (state * 6364136223846793005 + 1442695040888963407) & 0x7fffffffffffffff
  return (state >> 24) % below + 1
end
local all = {}
local function record(i)
  local links = { i - 1, i + 1 }
  return { id = i, name = "record " .. i % 1000, x = i * 0.5, links = links, live = true }
end
function records(rounds)
  local n = 100000
  for i = 1, n do all[i] = record(i) end
  local sum = 0
  for round = 1, rounds do
    for _ = 1, n // 3 do
      local i = random(n)
      all[i] = record(i + round)
    end
    for i = 1, n do sum = sum + all[i].id + #all[i].links end
  end
  return sum
end

function strings(rounds)
  local sum = 0
  for round = 1, rounds do
    local words, seen = {}, {}
    for i = 1, 20000 do words[i] = "word" .. random(5000) .. "," end
    for word in table.concat(words):gmatch("[^,]+") do seen[word] = (seen[word] or 0) + 1 end
    for word, times in pairs(seen) do sum = sum + #word * times end
  end
  return sum
end
)";

struct programs_lua {
    static workload_info info() {
        return program_info("programs/lua", "Lua 5.4 runs programs that live on tables", "10",
                            "of each part");
    }

    template <class S>
    static constexpr bool accepts = runs_programs<S>;

    template <class S>
    class on {
    public:
        explicit on(turn& t) : rounds_{t.integer("rounds")} {}

        void pass(turn& t) {
            lua_State* const state = lua_newstate(&allocate, &heap_);
            if (state == nullptr)
                throw std::runtime_error{"no memory for Lua"};
            luaL_openlibs(state);
            if (luaL_dostring(state, lua_parts) != LUA_OK)
                throw std::runtime_error{lua_tostring(state, -1)};
            std::uint64_t sum = 0;
            for (const char* part : {"trees", "records", "strings"}) {
                const stopwatch running;
                lua_getglobal(state, part);
                lua_pushinteger(state, rounds_);
                if (lua_pcall(state, 1, 1, 0) != LUA_OK)
                    throw std::runtime_error{lua_tostring(state, -1)};
                t.record(part, "ms", running.nanoseconds() / 1e6);
                sum = sum * 31 + static_cast<std::uint64_t>(lua_tointeger(state, -1));
                lua_pop(state, 1);
            }
            t.checksum(sum);
            const stopwatch closing;
            lua_close(state);
            t.record("close", "ms", closing.nanoseconds() / 1e6);
        }

    private:
        static void* allocate(void* heap, void* p, std::size_t old_bytes, std::size_t bytes) {
            if constexpr (of_an_affinity<S>) {
                return lua_memory<lua_workload_memory>::allocate(nullptr, p, old_bytes, bytes);
            } else if (bytes != 0) {
                return static_cast<S*>(heap)->reallocate(p, bytes);
            }
            S::deallocate_any(p);
            return nullptr;
        }

        S heap_;
        lua_Integer rounds_;
    };
};

ARENITE_LAB_WORKLOAD(programs_lua);

} // namespace
} // namespace arenite::lab
