// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>
#include <arenite/linear/linear_resource.hpp>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// Access that owners of several linear resources (buffers, frames) have to each.
class linear_part {
public:
    /// Frees everything; unlike after reset() no marker is good any more. Memory is handed out
    /// again where close() ended that.
    static void renew(linear_resource& part) noexcept {
#if ARENITE_CHECKS
        const auto inside = part.enter();
        ++part.era_;
        part.closed_ = false;
        part.scopes_.innermost = 0;
#endif
        part.reset();
    }

    /// Until renew() a checked build reports code that allocates, rewinds or resets.
    static void close([[maybe_unused]] linear_resource& part) noexcept {
#if ARENITE_CHECKS
        const auto inside = part.enter();
        part.closed_ = true;
#endif
    }

    /// False in an unchecked build, which does not know.
    [[nodiscard]] static bool
    has_open_scope([[maybe_unused]] const linear_resource& part) noexcept {
#if ARENITE_CHECKS
        return part.scopes_.open != 0;
#else
        return false;
#endif
    }

    /// From now on this is one of a thread's scratches.
    static void make_scratch([[maybe_unused]] linear_resource& part) noexcept {
#if ARENITE_CHECKS
        part.is_scratch_ = true;
#endif
    }
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
