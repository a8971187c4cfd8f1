// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/affinity/affinity.hpp>
#include <arenite/core/config.hpp>
#include <arenite/interop/malloc_like.hpp>
#include <arenite/ordered/detail/size_class.hpp>

#include <cstddef>
#include <string_view>

namespace arenite {
inline namespace ARENITE_ABI {

namespace affinities {
struct sqlite final {
    static constexpr std::string_view name = "SQLite";
};
} // namespace affinities

/// SQLite's memory in an affinity of its own.
///
///     sqlite3_mem_methods methods;
///     arenite::sqlite_memory<>::set(methods);
///     sqlite3_config(SQLITE_CONFIG_MALLOC, &methods); // before any other call of SQLite
///
/// Use when:  a program contains SQLite 3.
/// Cost:      malloc_like's; the size of an object is read from its slab.
/// Limits:    aligned to 8, as SQLite requires; sizes are int, so at most 2 GiB minus SQLite's own
///            overhead.
/// Threads:   any.
/// Failure:   nullptr, also for a size below 0: SQLite returns SQLITE_NOMEM.
template <AffinityTag A = affinities::sqlite>
class sqlite_memory {
public:
    using memory = malloc_like<A, 8>;

    /// Sets the functions of a sqlite3_mem_methods.
    template <class Methods>
    static void set(Methods& methods) noexcept {
        methods = {};
        methods.xMalloc = [](int bytes) noexcept {
            return bytes < 0 ? nullptr : memory::allocate(static_cast<std::size_t>(bytes));
        };
        methods.xFree = [](void* p) noexcept { memory::deallocate(p); };
        methods.xRealloc = [](void* p, int bytes) noexcept {
            return bytes < 0 ? nullptr : memory::reallocate(p, static_cast<std::size_t>(bytes));
        };
        methods.xSize = [](void* p) noexcept { return static_cast<int>(memory::size_of(p)); };
        methods.xRoundup = [](int bytes) noexcept { return rounded(bytes); };
        methods.xInit = [](void*) noexcept { return 0; };
        methods.xShutdown = [](void*) noexcept {};
    }

    /// The usable bytes that a request of `bytes` gets as a rule. It gets at least `bytes`; in a
    /// heap of which much was freed it may get a slot of another size, and above 8 KiB more.
    [[nodiscard]] static int rounded(int bytes) noexcept {
        constexpr int most = 0x7FFFFFF8;
        if (bytes <= 0 || bytes > most)
            return bytes <= 0 ? 8 : most;
        const auto size = static_cast<std::size_t>(bytes);
        return static_cast<int>(
            size <= detail::size_class::largest_bytes
                ? detail::size_class::slot_bytes(detail::size_class::computed(size))
                : align_up(size, 8));
    }
};

} // namespace ARENITE_ABI
} // namespace arenite
