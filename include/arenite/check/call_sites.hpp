// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>

#include <cstdio>

/// Where memory was allocated and freed: the return addresses of each call, kept in a table beside
/// the memory, and turned into names when something is reported. Checked builds only, and there
/// with ARENITE_SITES=n in the environment, n from 1 to 16: how many of each call.
///
///     0x7f0000010030: 40 bytes, rounded to 48
///       allocated at
///         load_level(int)+0x1f (game+0x5a12)
///         main+0x40 (game+0x4c80)
///
/// Leak reports and violations print what is known of their address. The first site of a call is
/// always right; those above it are found by frame pointers, which -O0 keeps, and
/// -fno-omit-frame-pointer elsewhere. Functions of a program have names if it is linked with
/// -rdynamic; `addr2line -e game 0x5a12` knows the line in any case.
///
/// Cost:      nothing in other builds. In checked ones a load, and with ARENITE_SITES a lock and a
///            look into a table for each allocation and each free.
/// Overhead:  with ARENITE_SITES, 8 + 16 n bytes for each address that was ever handed out, of
///            malloc's; at least half as much again for the table's free places.
/// Threads:   any.
/// Failure:   without memory for the table, what comes later is not noted.
namespace arenite {
inline namespace ARENITE_ABI {
namespace call_sites {

/// No more are kept of a call.
inline constexpr unsigned most = 16;

/// How many are kept of a call; 0: none. The environment is read at the first call.
[[nodiscard]] unsigned count() noexcept;

/// Writes where p was allocated and where it was freed, as far as that is known. True if anything
/// was.
bool write(std::FILE* to, const void* p);

/// write() to the standard error, before a violation that concerns p is reported.
ARENITE_COLD void write_of_violation(const void* p);

namespace detail {

void note_allocation(const void* p) noexcept;
void note_free(const void* p) noexcept;

/// For tests: what count() says from now on, and what it said before.
unsigned set_count_for_test(unsigned n) noexcept;

} // namespace detail

/// A resource says this where its user's code is inlined: p was handed out, or is null.
ARENITE_INLINE void allocated([[maybe_unused]] const void* p) noexcept {
    if constexpr (checks_enabled)
        detail::note_allocation(p);
}

/// A resource says this before p is freed, so that no other thread has it again yet. The first free
/// stands until the address is handed out again.
ARENITE_INLINE void freed([[maybe_unused]] const void* p) noexcept {
    if constexpr (checks_enabled)
        detail::note_free(p);
}

} // namespace call_sites
} // namespace ARENITE_ABI
} // namespace arenite
