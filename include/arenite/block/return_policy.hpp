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
///     in use | empty, kept | at page_source(), waiting for a second | the system's
///            |< allowance >|
///
/// Empty spans are kept for reuse up to an allowance, the larger of `keep_bytes` and
/// bytes in use / `keep_divisor`; a span that becomes empty beyond it goes back at once. An
/// upstream of pages holds their memory for a while (see page_resource): a heap that is emptied and
/// filled again within a second pays for no page, whatever its policy keeps, and one that shrinks
/// and stays small has given the rest to the system a second later. So little is kept here by
/// default: what saves making blocks again where a heap swings. Spans are what the heap asked from
/// its upstream (at most a huge page by default); only trim() goes down to pages. The memory of
/// large objects that are gone counts with the spans where it is kept; see large_objects.
struct return_policy {
    std::size_t keep_bytes = std::size_t{2} << 20; ///< always kept, in bytes
    std::size_t keep_divisor = 16;                 ///< a share of what is in use; 0: no share

    /// Nothing goes back before trim() or the end.
    static const return_policy retain_all;

    /// Empty spans go back at once, and their memory leaves the process with the same call.
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
