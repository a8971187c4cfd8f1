// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

class thread_heap;

/// Where the thread heaps of the process lie: those that are retired wait here for their next
/// affinity.
///
///     thread_heap | thread_heap | ...       side by side, 64 KiB at a time, for good
///     heap_pages  | heap_pages  | ...       whole pages for the resource of each
///
/// The pages of some that are retired stay resident; those of further ones go back at once, and of
/// all by trim().
///
/// Threads:   any.
class thread_heap_places {
public:
    /// A retired or a new one, in which there is no resource; nullptr where there is no memory.
    [[nodiscard]] static thread_heap* take() noexcept;
    /// One whose resource has ended.
    static void give(thread_heap& heap) noexcept;
    /// Returns pages to the system.
    static void trim() noexcept;

private:
    static void purge(thread_heap& heap) noexcept;
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
