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
struct lua final {
    static constexpr std::string_view name = "Lua";
};
} // namespace affinities

/// Lua's memory in an affinity of its own.
///
///     lua_State* state = lua_newstate(&arenite::lua_memory<>::allocate, nullptr);
///
/// Use when:  a program runs Lua 5.3 or 5.4. Use a tag of your own to keep states apart.
/// Cost:      malloc_like's; shrinking an object within its slot costs a comparison of sizes.
/// Limits:    aligned to 8, as Lua guarantees for userdata.
/// Threads:   any; one at a time per state, as Lua requires.
/// Failure:   nullptr: Lua collects its garbage, tries again, then raises its own error. Shrinking
///            memory never fails.
template <AffinityTag A = affinities::lua>
class lua_memory {
public:
    using memory = malloc_like<A, 8>;

    /// A lua_Alloc. If p is null, `old_bytes` is a kind of object; 0 new bytes free p.
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
