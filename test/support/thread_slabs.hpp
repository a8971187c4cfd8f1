// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

// Where the objects of affinities lie, in this build and this process: tests of how are left out
// elsewhere.

#include <arenite/affinity/affinity_strategy.hpp>
#include <arenite/check/detail/poison.hpp>
#include <arenite/check/passthrough.hpp>

namespace support {

/// Objects of affinities lie in slabs: not with passthrough or another strategy.
[[nodiscard]] inline bool affinities_have_slabs() {
    return !arenite::passthrough() && arenite::affinity_strategy_name() == "ordered";
}

/// And each thread has slabs of its own, which it uses without a lock: not where every call is a
/// slow one.
[[nodiscard]] inline bool threads_have_slabs() {
    return affinities_have_slabs() && !arenite::detail::slow_only;
}

} // namespace support
