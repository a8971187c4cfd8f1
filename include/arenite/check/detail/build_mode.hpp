// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/check/detail/poison.hpp>
#include <arenite/core/config.hpp>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// In these builds every call is a slow one: it informs a memory checker, or checks more.
inline constexpr bool slow_only = checks_enabled || poison::active;

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
