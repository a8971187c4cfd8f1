// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

/// The system's memory functions, with a count: malloc, calloc, realloc, aligned_alloc,
/// posix_memalign, memalign, free of a pointer, mmap, munmap, mremap, mprotect, madvise, brk, sbrk.
namespace system_calls {

/// False where the C library does not let them be replaced.
[[nodiscard]] bool are_counted() noexcept;

/// How many there were since the program began.
[[nodiscard]] std::size_t count() noexcept;

/// The one called last, or nullptr.
[[nodiscard]] const char* latest() noexcept;

/// Page faults of this process, with and without input.
[[nodiscard]] std::size_t page_faults() noexcept;

} // namespace system_calls
