// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/affinity/affinity.hpp>
#include <arenite/core/config.hpp>
#include <arenite/interop/malloc_like.hpp>

#include <cstddef>
#include <string_view>

namespace arenite {
inline namespace ARENITE_ABI {

namespace affinities {
struct lua {
    static constexpr std::string_view name = "Lua";
};
} // namespace affinities

/// Lua's memory in an affinity of its own.
///
///     lua_State* state = lua_newstate(&arenite::lua_memory<>::allocate, nullptr);
///
/// Use when:  a program runs Lua 5.3 or 5.4. A tag of one's own where states are to be apart.
/// Cost:      malloc_like's; an object that shrinks within its slot costs a comparison of sizes.
/// Limits:    aligned to 8, which is what Lua promises its userdata.
/// Threads:   any; a state by one at a time, as Lua has it.
/// Failure:   nullptr: Lua collects its garbage, tries again, then raises an error of its own.
///            Making memory smaller never fails.
template <AffinityTag A = affinities::lua>
class lua_memory {
public:
    using memory = malloc_like<A, 8>;

    /// A lua_Alloc. Where p is null, `old_bytes` tells a kind of object; 0 new bytes free p.
    [[nodiscard]] static void* allocate(void*, void* p, std::size_t old_bytes,
                                        std::size_t new_bytes) noexcept {
        if (new_bytes == 0) {
            memory::deallocate(p);
            return nullptr;
        }
        if (p == nullptr)
            return memory::allocate(new_bytes);
        void* const moved = memory::reallocate(p, old_bytes, new_bytes);
        return moved == nullptr && new_bytes <= old_bytes ? p : moved;
    }
};

} // namespace ARENITE_ABI
} // namespace arenite
