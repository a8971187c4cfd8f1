// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/affinity/detail/affinity_pages.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/core/config.hpp>
#include <arenite/ordered/detail/slab_heap.hpp>

#include <cstddef>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

inline constexpr unsigned most_affinities = affinity_pages::most_affinities;

/// Where an affinity has its place in the tables of threads, in bytes; 0 stands for none.
using thread_place = std::size_t;

/// What one thread has of all affinities: a table, to which one thread-local pointer leads.
///
///     thread -> table   ready   - | heap | heap | null | ...   by affinity, alignments below 16
///                               - | heap | null | null | ...   and from 16 on
///                       shares  share -> share | share | ...   the thread's; current ones first
///
/// `ready` names a heap where the thread may allocate and free at once; where it is null the call
/// is a slow one. A thread that has no table has a constant one of nulls, so that nobody asks. A
/// table is made at the first slow call that wants one, and used again when its thread has ended.
///
/// Invariant: ready[...][a] is null or current[a], which is the heap of the first share of
///            shares[a].
///
/// Cost:      ready_at: two loads after that of the pointer.
/// Overhead:  8 bytes of thread-local storage; 2 KiB a thread that allocates.
/// Threads:   each for itself.
class thread_heaps {
public:
    constexpr thread_heaps() noexcept = default;
    thread_heaps(const thread_heaps&) = delete;
    thread_heaps& operator=(const thread_heaps&) = delete;

    /// The heap that this thread may use at once; nullptr where its call is a slow one, as always
    /// at place 0. Where an affinity's own alignment is larger than the one asked for, it is one.
    [[nodiscard]] ARENITE_INLINE static slab_heap* ready_at(thread_place at,
                                                            std::size_t alignment) noexcept {
        return ready_at(place_at(at, alignment));
    }
    /// Reads a place whose half is chosen already.
    [[nodiscard]] ARENITE_INLINE static slab_heap* ready_at(thread_place at) noexcept {
        return *reinterpret_cast<slab_heap* const*>(
            reinterpret_cast<const std::byte*>(of_thread->ready_) + at);
    }
    /// Where a request of this alignment looks: each affinity has a place in both halves.
    [[nodiscard]] ARENITE_INLINE static constexpr thread_place
    place_at(thread_place at, std::size_t alignment) noexcept {
        return at + (alignment >= default_alignment ? half_bytes : 0);
    }
    [[nodiscard]] static constexpr thread_place place_of(unsigned affinity) noexcept {
        return (affinity + 1) * sizeof(slab_heap*);
    }

    /// An address that no other living thread has.
    [[nodiscard]] static const void* thread() noexcept { return &of_thread; }

    /// This thread's table; nullptr where it has none.
    [[nodiscard]] static thread_heaps* mine() noexcept {
        return of_thread == &none ? nullptr : const_cast<thread_heaps*>(of_thread);
    }

    /// mine(), or a new one. nullptr at the end of a thread, where nothing may be kept for it, and
    /// where there is no memory.
    [[nodiscard]] static thread_heaps* make() noexcept;

    /// In a forked child: the tables of threads that are not in it are nobody's.
    static void after_fork_in_child() noexcept;

    /// The first of the thread's shares of an affinity.
    [[nodiscard]] affinity_share*& shares(unsigned affinity) noexcept { return shares_[affinity]; }

    /// The heap of the first one, where it has been made current.
    [[nodiscard]] slab_heap* current(unsigned affinity) const noexcept {
        return current_[affinity];
    }
    /// Calls go to this heap at once, those apart for which the affinity's own alignment is larger.
    void start(unsigned affinity, slab_heap& heap, std::size_t least_alignment) noexcept;
    /// All calls are slow ones again.
    void stop(unsigned affinity) noexcept;
    void stop_all() noexcept;

private:
    [[nodiscard]] static thread_heaps* take() noexcept;
    static void end() noexcept;

    static const thread_heaps none;
    static constinit thread_local const thread_heaps* of_thread ARENITE_THREAD_FAST;

    static constexpr std::size_t half_bytes = (most_affinities + 1) * sizeof(slab_heap*);
    slab_heap* ready_[2][most_affinities + 1] = {};
    slab_heap* current_[most_affinities] = {};
    affinity_share* shares_[most_affinities] = {};
    const void* thread_ = nullptr; ///< whose it is; null: nobody's
    thread_heaps* next_ = nullptr; ///< among all there are
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
