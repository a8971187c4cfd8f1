// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>

namespace arenite {
inline namespace ARENITE_ABI {

/// True where the environment says ARENITE_PASSTHROUGH=1: every strategy then sends each request to
/// malloc, so that a sanitizer's red zones and quarantine see single objects.
///
/// True also in a program that is built with AddressSanitizer on a library that is not, where the
/// environment does not say otherwise: the library cannot tell the sanitizer what is free, malloc
/// can.
///
/// The environment is read at the first call and never again: a strategy may ask at every slow call
/// or once, and all of a program agree. "0" means no, all else yes. Usable before main and from any
/// thread; one load afterwards.
[[nodiscard]] bool passthrough() noexcept;

namespace detail {

/// For tests: what passthrough() says from now on, and what it said before. Only while no strategy
/// holds memory, since memory goes back by the way that the answer of today names.
bool set_passthrough_for_test(bool on) noexcept;

} // namespace detail

} // namespace ARENITE_ABI
} // namespace arenite
