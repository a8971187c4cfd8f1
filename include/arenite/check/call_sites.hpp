// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>

#include <cstddef>
#include <cstdio>

/// Where memory was allocated and freed: the return addresses of each call, kept in a table apart
/// from the memory, and turned into names when something is reported. In checked builds only, and
/// only with ARENITE_SITES=n in the environment: n, from 1 to 16, is how many addresses of each
/// call are kept.
///
///     0x7f0000010030: 40 bytes, rounded to 48
///       allocated at
///         load_level(int)+0x1f (game+0x5a12)
///         main+0x40 (game+0x4c80)
///
/// Leak reports and contract violations print what is known about their address; violations also
/// the free that is refused. The first site of a call is always right; those above it are found by
/// frame pointers, which -O0 keeps; other builds need -fno-omit-frame-pointer. Functions of a
/// program have names if it is linked with -rdynamic; `addr2line -e game 0x5a12` finds the line in
/// any case.
///
/// Cost:      nothing in other builds. In checked ones a load, and with ARENITE_SITES a lock and a
///            table lookup for each allocation and each free.
/// Overhead:  with ARENITE_SITES, 8 + 16 n bytes of malloc memory for each address that was ever
///            allocated; at least half as much again for free entries of the table.
/// Threads:   any.
/// Failure:   if there is no memory for the table, later calls are not recorded.
namespace arenite {
inline namespace ARENITE_ABI {
namespace call_sites {

/// Maximum number of addresses kept of a call.
inline constexpr unsigned most = 16;

/// Number of addresses kept of a call; 0: none. The environment is read at the first call.
[[nodiscard]] unsigned count() noexcept;

/// Writes where p was allocated and where it was freed, as far as known. Returns true if anything
/// was.
bool write(std::FILE* to, const void* p);

/// write() to the standard error, before a violation that concerns p is reported. If this thread
/// freed p last, that is the call that is refused, and is called so.
ARENITE_COLD void write_of_violation(const void* p);

namespace detail {

void note_allocation(const void* p, std::size_t bytes = 0) noexcept;
void note_free(const void* p) noexcept;

/// For tests: replaces the value of count(), and returns the previous one.
unsigned set_count_for_test(unsigned n) noexcept;

} // namespace detail

/// Called by a resource where it is inlined into user code: p was allocated, or is null. Tells the
/// innermost no_allocation_scope, too.
ARENITE_INLINE void allocated([[maybe_unused]] const void* p,
                              [[maybe_unused]] std::size_t bytes) noexcept {
    if constexpr (checks_enabled)
        detail::note_allocation(p, bytes);
}

/// Called by a resource before p is freed, so that no other thread has it again yet. The first free
/// stays recorded until the address is allocated again.
ARENITE_INLINE void freed([[maybe_unused]] const void* p) noexcept {
    if constexpr (checks_enabled)
        detail::note_free(p);
}

} // namespace call_sites
} // namespace ARENITE_ABI
} // namespace arenite
