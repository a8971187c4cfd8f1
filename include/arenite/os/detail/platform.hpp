// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>

#include <cstddef>
#include <cstdint>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {
namespace os {

/// Pages of the system this is compiled for; static functions, thread-safe, usable before main,
/// without malloc. A new system is one file, src/os/platform_<system>.cpp, with these functions.
///
///                reserve              commit               touch
///     (nothing) ---------> addresses ---------> usable ----------> resident
///         ^                 ^   |                 |  ^               |   |
///         |     release     |   |                 |  +---- purge ----+   |
///         +-----------------|---+                 |                      |
///                           +---------------------+------ decommit ------+
///
/// page_bytes()         the unit of everything here; p and bytes are multiples of it
/// huge_page_bytes()    what advise_huge can give, 0 where the system has no such thing
/// reserve(n, align)    n bytes of addresses at a multiple of align (a power of two), which cost no
///                      memory and may not be touched; nullptr where the system refuses
/// reservations_grow    whether extend() can ever succeed here
/// extend(p, n)         reserves the n bytes of addresses at p, where a reservation ends, as part
///                      of it; false where they are in use, or the system refuses: nothing has
///                      changed
/// release(p, n)        ends a reservation whatever its state: all of it, or its upper part. Where
///                      the system has no such thing the part only loses its memory, and its
///                      addresses go with the rest. False where the system refuses, as Linux does
///                      where that would make one mapping too many; the memory goes all the same
///                      there
/// commit(p, n)         makes part of a reservation usable, zero-filled if it was not committed
///                      before; false where the system refuses, then nothing has changed
/// decommit(p, n)       gives its memory back and takes the access away. May leave the access where
///                      the system cannot take it. True if the memory is gone: as a rule
/// purge(p, n)          gives the memory back; it stays usable. True if it is zero from now on,
///                      else its contents may be as they were
/// renew(p, n)          purge, and what keeps huge pages out is gone where the system can: as it
///                      was committed, without advice
/// advise_huge(p, n, b) asks for huge pages in a committed part, or (b false) asks for none; a hint
/// prefault(p, n)       makes a committed part resident and keeps its contents; a hint as well.
///                      No other thread may write there meanwhile
/// now_ms()             milliseconds of a clock that never goes back; cheap, may be 20 ms late
/// at_fork(f, g, h)     f is called before the process forks, latest first; then g in it and h in
///                      the child, earliest first. Nothing where processes do not fork
/// resident_bytes(p, n) how much of a reservation is in memory now; slow, for tests and reports
struct platform {
    [[nodiscard]] static std::size_t page_bytes() noexcept;
    [[nodiscard]] static std::size_t huge_page_bytes() noexcept;

    [[nodiscard]] static void* reserve(std::size_t bytes, std::size_t alignment) noexcept;
#if defined(_WIN32)
    static constexpr bool reservations_grow = false;
#else
    static constexpr bool reservations_grow = true;
#endif
    [[nodiscard]] static bool extend(void* p, std::size_t bytes) noexcept;
    static bool release(void* p, std::size_t bytes) noexcept;

    [[nodiscard]] static bool commit(void* p, std::size_t bytes) noexcept;
    static bool decommit(void* p, std::size_t bytes) noexcept;
    static bool purge(void* p, std::size_t bytes) noexcept;
    static bool renew(void* p, std::size_t bytes) noexcept;

    static void advise_huge(void* p, std::size_t bytes, bool wanted) noexcept;
    static void prefault(void* p, std::size_t bytes) noexcept;
    [[nodiscard]] static std::size_t resident_bytes(const void* p, std::size_t bytes) noexcept;

    [[nodiscard]] static std::uint64_t now_ms() noexcept;
    static void at_fork(void (*before)(), void (*in_parent)(), void (*in_child)()) noexcept;
};

} // namespace os
} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
