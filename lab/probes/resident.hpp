// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>

namespace arenite::lab {

/// Bytes of this process that are resident, counted by the kernel page by page (exact, unlike the
/// cheaper counters, which lag by some dozen pages a processor); nothing where the system does not tell.
/// Allocates nothing.
[[nodiscard]] std::optional<std::size_t> resident_bytes() noexcept;

} // namespace arenite::lab
