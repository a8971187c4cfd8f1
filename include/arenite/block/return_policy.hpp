// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>

#include <cstddef>
#include <limits>

namespace arenite {
inline namespace ARENITE_ABI {

/// When memory that holds nothing goes back to the upstream: one policy for all heaps and pools.
///
/// Empty spans are kept for reuse up to an allowance, the larger of `keep_bytes` and
/// bytes in use / `keep_divisor`; a span that becomes empty beyond it goes back at once. A heap
/// that shrinks therefore follows its use, and one that swings by less than a quarter never pays
/// for pages. Spans are what the heap asked from its upstream (at most a huge page by default), so
/// nothing smaller is decommitted on the way; only trim() goes down to pages. The memory of large
/// objects that are gone counts with the spans; at most 16 pieces of it are kept, for requests of
/// nearly their size: a vector that grows again and again pays for its pages once.
struct return_policy {
    std::size_t keep_bytes = std::size_t{8} << 20; ///< always kept, in bytes
    std::size_t keep_divisor = 4;                  ///< a share of what is in use; 0: no share

    /// Nothing goes back before trim() or the end.
    static const return_policy retain_all;

    /// Empty spans go back at once.
    static const return_policy return_all;

    /// Bytes of empty spans that may be kept while `bytes_in_use` are in use.
    [[nodiscard]] constexpr std::size_t allowance(std::size_t bytes_in_use) const noexcept {
        const std::size_t share = keep_divisor == 0 ? 0 : bytes_in_use / keep_divisor;
        return share > keep_bytes ? share : keep_bytes;
    }

    friend bool operator==(const return_policy&, const return_policy&) = default;
};

inline constexpr return_policy return_policy::retain_all{std::numeric_limits<std::size_t>::max(),
                                                         0};
inline constexpr return_policy return_policy::return_all{0, 0};

} // namespace ARENITE_ABI
} // namespace arenite
