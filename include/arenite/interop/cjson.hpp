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
struct cjson final {
    static constexpr std::string_view name = "cJSON";
};
} // namespace affinities

/// The memory of cJSON's documents in an affinity of its own: items lie together, in the order in
/// which they are parsed.
///
///     cJSON_Hooks hooks;
///     arenite::cjson_memory<>::set(hooks);
///     cJSON_InitHooks(&hooks);
///
/// Use when:  documents are read, walked and deleted often.
/// Cost:      malloc_like's; cJSON copies where it would call realloc without hooks.
/// Limits:    aligned to 8, the most that an item needs; must be set before the first document.
///            Free text of cJSON_Print with cJSON_free, not free.
/// Threads:   any; one at a time per document.
/// Failure:   nullptr: cJSON frees what it had allocated, and returns nullptr.
template <AffinityTag A = affinities::cjson>
class cjson_memory {
public:
    using memory = malloc_like<A, 8>;

    [[nodiscard]] static void* allocate(std::size_t bytes) noexcept {
        return memory::allocate(bytes);
    }
    static void deallocate(void* p) noexcept { memory::deallocate(p); }

    /// For a cJSON_Hooks.
    template <class Hooks>
    static void set(Hooks& hooks) noexcept {
        hooks.malloc_fn = [](std::size_t bytes) { return allocate(bytes); };
        hooks.free_fn = [](void* p) { deallocate(p); };
    }
};

} // namespace ARENITE_ABI
} // namespace arenite
