// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

namespace arenite::lab {

/// Mappings of this process; 0 where the system does not tell.
[[nodiscard]] std::size_t mappings() noexcept;

} // namespace arenite::lab
