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

/// The most bytes of this process that were in physical memory at once since restart_peak(), within
/// some dozen pages; nothing where the system does not tell or the peak was never restarted.
[[nodiscard]] std::optional<std::size_t> peak_resident() noexcept;
void restart_peak() noexcept;

/// Memory that the machine can give to programs without paging; nothing where the system does not
/// tell.
[[nodiscard]] std::optional<std::size_t> available_memory() noexcept;

/// Page faults of this process until now that needed no disk; 0 where the system does not tell.
[[nodiscard]] std::size_t page_faults() noexcept;

} // namespace arenite::lab
