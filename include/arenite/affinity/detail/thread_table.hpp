// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/alignment.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/detail/bits.hpp>
#include <arenite/ordered/detail/slab_front.hpp>

#include <cstddef>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

class thread_heap;
class held_lock;

/// At once. Every thread without a table reads these places in one that all of them share.
inline constexpr unsigned most_affinities = sizeof(void*) == 8 ? 4096 : 256;
inline constexpr std::size_t most_affinity_name_bytes = 63;
/// At once. Their indices follow those of the affinities.
inline constexpr unsigned most_shared_heaps = sizeof(void*) == 8 ? 131'072 : 2048;

/// Where an affinity has its place in the tables of threads, in bytes; 0 stands for none.
using thread_place = std::size_t;

/// The heaps of one thread, in all affinities and shared heaps: a table, to which one
/// thread-local pointer leads.
///
///     thread -> table   | - | ready, ready, current, heaps | ready, ready, ... |   one an affinity
///                           below 16 | from 16 on                           |   ... a shared_heap
///                           heap -> heap: the thread's, the current one first
///
/// `ready` names a heap where the thread may allocate and free at once, for alignments below 16 and
/// from 16 on; where it is null the call is a slow one. A thread that has no table reads one of
/// nulls for the affinities, so that no call asks: it is as long as there may be affinities, which
/// is why their number is bounded, and never written. A table is made at the first slow call
/// that wants one, and used again when its thread has ended. It is a reservation of addresses, of
/// which only pages that are written are resident.
///
/// Invariant: ready of an affinity is null or its current heap, which is that of the first of its
///            heaps.
///
/// Cost:      ready_at: two loads after that of the pointer; ready_within: and a comparison.
/// Overhead:  8 bytes of thread-local storage; 32 bytes an affinity or shared heap that the thread
///            uses, in pages of 128 of them.
/// Threads:   each for itself; forget: see there.
class thread_table {
public:
    thread_table() noexcept = default;
    thread_table(const thread_table&) = delete;
    thread_table& operator=(const thread_table&) = delete;

    /// The heap that this thread may use at once; nullptr where its call is a slow one, as always
    /// at place 0. Where an affinity's own alignment is larger than the one asked for, it is one.
    [[nodiscard]] ARENITE_INLINE static slab_front* ready_at(thread_place at,
                                                             std::size_t alignment) noexcept {
        return ready_at(place_at(at, alignment));
    }
    /// Reads a place whose half is chosen already.
    [[nodiscard]] ARENITE_INLINE static slab_front* ready_at(thread_place at) noexcept {
        return *reinterpret_cast<slab_front* const*>(reinterpret_cast<const std::byte*>(of_thread) +
                                                     at);
    }
    /// Where a request of this alignment looks: each affinity has two places.
    [[nodiscard]] ARENITE_INLINE static constexpr thread_place
    place_at(thread_place at, std::size_t alignment) noexcept {
        return at + (alignment >= default_alignment ? sizeof(slab_front*) : 0);
    }
    /// ready_at for a place that a thread without a table has not: that of a shared heap.
    [[nodiscard]] ARENITE_INLINE static slab_front* ready_within(thread_place at,
                                                                 std::size_t alignment) noexcept {
        return at < of_thread->bytes_ ? ready_at(at, alignment) : nullptr;
    }
    /// A slot of the heap that ready_at() or ready_within() returned, where one lies ready; nullptr
    /// where the call is a slow one.
    [[nodiscard]] ARENITE_INLINE static void* try_take(slab_front* ready, std::size_t bytes,
                                                       std::size_t alignment) noexcept {
        return ready != nullptr ? ready->try_take(bytes, alignment) : nullptr;
    }
    /// Frees p by that heap, which sees whose it is; false where the call is a slow one, and then
    /// nothing is done. `size` is its size and alignment, or nothing.
    template <class... Size>
    [[nodiscard]] ARENITE_INLINE static bool try_free(slab_front* ready, void* p,
                                                      Size... size) noexcept {
        if (ready == nullptr) [[unlikely]]
            return false;
        ready->deallocate(p, size...);
        return true;
    }
    [[nodiscard]] static constexpr thread_place place_of(unsigned index) noexcept {
        return offsetof(thread_table, places_) + index * sizeof(place);
    }

#if ARENITE_IS_MALLOC
    /// ready_at(place_of(0), default_alignment) in one load: that of the only affinity. Never null,
    /// but slab_front::nobody.
    [[nodiscard]] ARENITE_INLINE static slab_front* ready_of_only() noexcept { return of_only; }
#endif

    /// An address that no other living thread has.
    [[nodiscard]] ARENITE_INLINE static const void* thread() noexcept {
#if defined(__x86_64__) && defined(__LP64__) && defined(__linux__)
        const void* self; // a thread's own block of data begins with its address
        __asm__("movq %%fs:0, %0" : "=r"(self));
        return self;
#else
        return &of_thread;
#endif
    }

    /// True if that is thread().
    [[nodiscard]] ARENITE_INLINE static bool is_thread(const void* which) noexcept {
#if defined(__x86_64__) && defined(__LP64__) && defined(__linux__) &&                              \
    defined(__GCC_ASM_FLAG_OUTPUTS__)
        bool is_equal;
        __asm__("cmpq %%fs:0, %1" : "=@cce"(is_equal) : "r"(which));
        return is_equal;
#else
        return which == thread();
#endif
    }

    /// This thread's table; nullptr where it has none.
    [[nodiscard]] static thread_table* mine() noexcept {
        return of_thread == &none ? nullptr : const_cast<thread_table*>(of_thread);
    }

    /// mine(), or a new one. nullptr at the end of a thread, where nothing may be kept for it, and
    /// where there is no memory.
    [[nodiscard]] static thread_table* make() noexcept;

    /// Where the module ends and the process goes on: the tables' addresses go back.
    static void end_tables() noexcept;

    /// In a forked child: the tables of threads that are not in it belong to none.
    static void after_fork_in_child() noexcept;

    /// No table has anything of this index any more; when no thread uses it, or will. Whatever
    /// ended threads leave reaches their heaps before, or not at all.
    static void forget(unsigned index) noexcept;

    /// While it is held, no thread that ends leaves its heaps.
    [[nodiscard]] static held_lock hold_ends() noexcept;

    /// The first of the thread's heaps of an affinity.
    [[nodiscard]] thread_heap*& heaps(unsigned affinity) noexcept {
        touch(affinity);
        return at(affinity).heaps;
    }

    /// The heap of the first one, where it has been made current.
    [[nodiscard]] slab_heap* current(unsigned affinity) const noexcept {
        return const_cast<thread_table*>(this)->at(affinity).current;
    }
    /// current() of this thread; nullptr where it has no table.
    [[nodiscard]] static slab_heap* current_of_thread(unsigned affinity) noexcept {
        const thread_table* const own = mine();
        return own == nullptr ? nullptr : own->current(affinity);
    }
    /// Calls go to this heap at once, those apart for which the affinity's own alignment is larger.
    void start(unsigned affinity, slab_heap& heap, std::size_t least_alignment) noexcept;
    /// All calls are slow ones again.
    void stop(unsigned affinity) noexcept;
    /// All calls are slow ones until the next start(), which look after something besides.
    void pause(unsigned affinity) noexcept;
    void stop_all() noexcept;

private:
    struct place {
        slab_front* ready[2];
        slab_heap* current;
        thread_heap* heaps;
    };
    static constexpr unsigned most = most_affinities + most_shared_heaps;
    static constexpr unsigned group_places = 128;
    static constexpr unsigned groups = most / group_places;
    static_assert(most % group_places == 0 && most_affinities % group_places == 0);

    static constexpr std::size_t table_bytes() noexcept {
        return sizeof(thread_table) + most_shared_heaps * sizeof(place);
    }
    [[nodiscard]] static thread_table* take() noexcept;
    static void end() noexcept;
    void abandon_heaps(unsigned first, unsigned last) noexcept;

    [[nodiscard]] place& at(unsigned index) noexcept {
        return *reinterpret_cast<place*>(reinterpret_cast<std::byte*>(this) + place_of(index));
    }
    /// Something may be there from now on.
    void touch(unsigned index) noexcept {
        bits::word& w = touched_[index / group_places / 64];
        const bits::word bit = bits::word{1} << index / group_places % 64;
        if ((w & bit) == 0)
            w |= bit;
    }
    /// Calls f(index) for each that may have something, from first to before last.
    template <class F>
    void for_each(unsigned first, unsigned last, F f) noexcept {
        for (unsigned g = first / group_places; g < last / group_places; ++g)
            if ((touched_[g / 64] >> g % 64 & 1) != 0)
                for (unsigned i = g * group_places; i < (g + 1) * group_places; ++i)
                    f(i);
    }

    /// This thread's calls in an affinity go to what its place says now.
    void ready_changed([[maybe_unused]] unsigned affinity) noexcept {
#if ARENITE_IS_MALLOC
        if (affinity == 0)
            of_only = at(0).ready[1] != nullptr ? at(0).ready[1] : &slab_front::nobody;
#endif
    }

#if ARENITE_IS_MALLOC
    static constinit thread_local slab_front* of_only ARENITE_THREAD_FAST;
#endif
    static thread_table none; ///< not const, which would be 128 KiB of zeros in the file
    static constinit thread_local const thread_table* of_thread ARENITE_THREAD_FAST;

    // All zero where memory is fresh. A table that is no thread's is as long as its class.
    [[maybe_unused]] slab_front* no_place_[2]; ///< place 0
    std::size_t bytes_;                        ///< of a thread's table, which is longer
    const void* thread_;                       ///< of its thread; null: of none
    thread_table* next_;                       ///< among all there are
    bits::word touched_[groups / 64 + 1];
    [[maybe_unused]] place places_[most_affinities]; ///< those of shared heaps follow
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
