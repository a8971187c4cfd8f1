// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>

namespace arenite::lab {

struct resident_memory {
    std::size_t bytes;      ///< of this process, in physical memory
    std::size_t huge_bytes; ///< of these, in huge pages
};

/// Counted by the kernel page by page (exact, unlike the cheaper counters, which lag by some dozen
/// pages a processor); nothing where the system does not tell. Allocates nothing.
[[nodiscard]] std::optional<resident_memory> resident() noexcept;

} // namespace arenite::lab
