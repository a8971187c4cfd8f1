// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>

#include <mutex>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {
namespace os {

#if defined(_WIN32)

/// A mutex that is there before any code has run, as std::mutex is by the standard. On Windows that
/// one is not: mingw-w64 makes it at run time, and so did Visual C++ before 17.10. This is the slim
/// lock of Windows itself, which is a word of zeros.
class page_mutex {
public:
    constexpr page_mutex() noexcept = default;
    page_mutex(const page_mutex&) = delete;
    page_mutex& operator=(const page_mutex&) = delete;

    void lock() noexcept;
    [[nodiscard]] bool try_lock() noexcept;
    void unlock() noexcept;

private:
    void* state_ = nullptr; // an SRWLOCK
};

#else

using page_mutex = std::mutex;

#endif

} // namespace os
} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
