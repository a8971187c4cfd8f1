// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

namespace arenite::lab {

/// How often the system has taken the processor from this thread to give it to others; 0 where it
/// does not tell.
[[nodiscard]] std::size_t interruptions() noexcept;

} // namespace arenite::lab
