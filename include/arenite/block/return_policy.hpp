// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>

#include <cstddef>
#include <limits>

namespace arenite {
inline namespace ARENITE_ABI {

/// When unused memory is returned to the upstream: one policy for all heaps and pools.
///
///     in use | empty, kept | at page_source(), waiting for a second | the system's
///            |< allowance >|
///
/// Empty spans are kept for reuse up to an allowance, the larger of `keep_bytes` and bytes in use /
/// `keep_divisor`; a span that becomes empty beyond it is returned at once. An upstream of pages
/// holds returned memory for a while (see page_resource): so a heap that is emptied and refilled
/// within a second has few page faults, whatever its policy keeps, and one that shrinks and stays
/// small has given the rest to the system a second later. The default therefore keeps little: just
/// enough not to make blocks anew when a heap's use swings. A span is one request of the heap to
/// its upstream (a huge page at most, by default); only trim() goes down to pages. The memory of
/// freed large objects, where it is kept, counts with the spans; see large_objects.
struct return_policy {
    std::size_t keep_bytes = std::size_t{2} << 20; ///< bytes that are always kept
    std::size_t keep_divisor = 16;                 ///< fraction of what is in use; 0: none

    /// No span is returned before trim() or destruction; the memory of the 16 large objects freed
    /// last is kept.
    static const return_policy retain_all;

    /// Empty spans are returned at once, and their memory leaves the process with the same call.
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
