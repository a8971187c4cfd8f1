// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>

#include <cstdint>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// Bytes that the calling thread may still allocate through samplers before one of them takes its
/// slow path: to draw a sample, to look whether sampling is on, or because a no_allocation_scope
/// wants to know.
///
/// Cost:      a subtraction in memory; its flags tell whether the slow path is due.
/// Threads:   each its own.
extern constinit thread_local std::int64_t sample_clock ARENITE_THREAD_FAST;

/// Value for a clock that is due at any size.
inline constexpr std::int64_t sample_clock_due = -1;

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
