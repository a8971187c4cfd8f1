// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>

#include <cerrno>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {
namespace os {

/// A call that leaves errno as it found it: an allocator must not change it.
struct errno_kept {
    int before = errno;
    ~errno_kept() { errno = before; }
};

} // namespace os
} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
