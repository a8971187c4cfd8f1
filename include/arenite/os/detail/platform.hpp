// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>

#if defined(__linux__)
#include <arenite/os/detail/linux.hpp>
#elif defined(__APPLE__)
#include <arenite/os/detail/macos.hpp>
#elif defined(_WIN32)
#include <arenite/os/detail/windows.hpp>
#else
#error                                                                                             \
    "Arenite knows no pages on this system: write os/<system>.hpp as os/detail/platform.hpp tells"
#endif

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {
namespace os {

/// What Arenite asks of an operating system; static functions, thread-safe, usable before main,
/// without malloc. A new system is one file: a struct that satisfies this concept, named below.
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
///                      addresses go with the rest
/// commit(p, n)         makes part of a reservation usable, zero-filled if it was not committed
///                      before; false where the system refuses, then nothing has changed
/// decommit(p, n)       gives its memory back and takes the access away. May leave the access where
///                      the system cannot take it; the memory is gone in any case. Never fails
/// purge(p, n)          gives the memory back; it stays usable, contents are zero or as they were
/// renew(p, n)          purge, and advice is forgotten where the system can: as it was committed
/// advise_huge(p, n, b) asks for huge pages in a committed part, or (b false) asks for none; a hint
/// prefault(p, n)       makes a committed part resident and keeps its contents; a hint as well.
///                      No other thread may write there meanwhile
/// now_ms()             milliseconds of a clock that never goes back; cheap, may be 20 ms late
/// at_fork(f, g, h)     f is called before the process forks, latest first; then g in it and h in
///                      the child, earliest first. Nothing where processes do not fork
/// resident_bytes(p, n) how much of a reservation is in memory now; slow, for tests and reports
template <class P>
concept page_platform = requires(void* p, const void* where, std::size_t bytes,
                                 std::size_t alignment, bool wanted, void (*call)()) {
    { P::page_bytes() } noexcept -> std::same_as<std::size_t>;
    { P::huge_page_bytes() } noexcept -> std::same_as<std::size_t>;
    { P::reserve(bytes, alignment) } noexcept -> std::same_as<void*>;
    { P::reservations_grow } -> std::convertible_to<bool>;
    { P::extend(p, bytes) } noexcept -> std::same_as<bool>;
    { P::release(p, bytes) } noexcept -> std::same_as<void>;
    { P::commit(p, bytes) } noexcept -> std::same_as<bool>;
    { P::decommit(p, bytes) } noexcept -> std::same_as<void>;
    { P::purge(p, bytes) } noexcept -> std::same_as<void>;
    { P::renew(p, bytes) } noexcept -> std::same_as<void>;
    { P::advise_huge(p, bytes, wanted) } noexcept -> std::same_as<void>;
    { P::prefault(p, bytes) } noexcept -> std::same_as<void>;
    { P::resident_bytes(where, bytes) } noexcept -> std::same_as<std::size_t>;
    { P::now_ms() } noexcept -> std::same_as<std::uint64_t>;
    { P::at_fork(call, call, call) } noexcept -> std::same_as<void>;
};

/// The system this is compiled for.
#if defined(__linux__)
using platform = linux_platform;
#elif defined(__APPLE__)
using platform = macos_platform;
#elif defined(_WIN32)
using platform = windows_platform;
#endif

static_assert(page_platform<platform>);

} // namespace os
} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
