// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/check/detail/poison.hpp>
#include <arenite/core/config.hpp>

namespace support {

/// Checked builds and memory checkers see to every call; what was just freed is not the next to be
/// used.
inline constexpr bool every_call_is_careful =
    arenite::checks_enabled || arenite::detail::poison::active;

} // namespace support
