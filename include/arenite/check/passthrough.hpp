// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>

namespace arenite {
inline namespace ARENITE_ABI {

/// True with ARENITE_PASSTHROUGH=1 in the environment: every resource then passes each request to
/// malloc, so a sanitizer's red zones and quarantine work on single objects.
///
/// Also true in a program built with AddressSanitizer on a library that is not, unless the
/// environment says otherwise: such a library cannot tell the sanitizer what is free, but malloc
/// can.
///
/// The environment is read once, at the first call: a resource may ask at every slow call or once,
/// and all parts of a program agree. "0" means no, any other value yes. Usable before main and from
/// any thread; later calls cost one load.
#if ARENITE_IS_MALLOC
[[nodiscard]] constexpr bool passthrough() noexcept { return false; }
#else
[[nodiscard]] bool passthrough() noexcept;
#endif

namespace detail {

/// For tests: replaces the value of passthrough(), and returns the previous one. Only while no
/// resource holds memory, since memory is freed the way that the current value says.
bool set_passthrough_for_test(bool on) noexcept;

} // namespace detail

} // namespace ARENITE_ABI
} // namespace arenite
