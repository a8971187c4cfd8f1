// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/check/detail/poison.hpp>

#include <climits>
#include <cstdlib> // __GLIBC__

// 1 where a test may have the system refuse a call: the program's own madvise, mmap and mprotect
// stand before the C library's then.
#if defined(__linux__) && defined(__GLIBC__) && defined(__LP64__) && !ARENITE_HAS_ASAN &&          \
    !ARENITE_HAS_MSAN && !ARENITE_HAS_TSAN && !ARENITE_HAS_VALGRIND
#define CALLS_CAN_FAIL 1
#else
#define CALLS_CAN_FAIL 0
#endif

namespace support {

#if CALLS_CAN_FAIL

/// Has calls of madvise, mmap and mprotect fail while it lives: those from number `first` on, as
/// many as are said.
class failing_calls {
public:
    explicit failing_calls(long first, long count = LONG_MAX) noexcept;
    ~failing_calls();
    failing_calls(const failing_calls&) = delete;
    failing_calls& operator=(const failing_calls&) = delete;

    /// Calls that were made.
    [[nodiscard]] long calls() const noexcept;
};

#endif

} // namespace support
