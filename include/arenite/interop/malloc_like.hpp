// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/affinity/affinity.hpp>
#include <arenite/affinity/affinity_heap.hpp>
#include <arenite/affinity/detail/remote_frees.hpp>
#include <arenite/affinity/detail/thread_heap.hpp>
#include <arenite/check/detail/poison.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/detail/size.hpp>
#include <arenite/ordered/detail/size_class.hpp>
#include <arenite/ordered/detail/slab_geometry.hpp>
#include <arenite/ordered/detail/slab_heap.hpp>

#include <cstddef>

namespace arenite {
inline namespace ARENITE_ABI {

namespace detail {

/// realloc in the affinity that p belongs to; nullptr, and p is unchanged, if there is no memory or
/// p belongs to no affinity.
[[nodiscard]] void* reallocate_any(void* p, std::size_t bytes, std::size_t alignment) noexcept;

/// Usable bytes at p, reported to memory checkers; 0 if p belongs to no affinity.
[[nodiscard]] std::size_t usable_bytes(const void* p) noexcept;

/// True if `bytes` at p, which were allocated just now, are known to hold zeros, and are
/// untouched: more than 8 KiB of memory that is new, or went back to the system before.
[[nodiscard]] bool holds_zeros(const void* p, std::size_t bytes) noexcept;

/// Memory whose bytes are 0; what holds zeros is not touched.
[[nodiscard]] void* allocate_zeroed(affinity_heap& heap, std::size_t bytes,
                                    std::size_t alignment) noexcept;

/// usable_bytes of an object that has a slot in a page of a thread's heap; otherwise 0.
[[nodiscard]] ARENITE_INLINE std::size_t slot_bytes_at(const void* p) noexcept {
    if constexpr (slow_only)
        return 0;
    const thread_heap* const owner = thread_heap::around(p);
    if (owner == nullptr || owner->is_locked() || owner->affinity() >= most_affinities)
        return 0;
    const slab* const s = owner->heap().page_of_slot(p);
    return s != nullptr ? s->slot_bytes : 0;
}

} // namespace detail

/// An affinity as malloc, calloc, realloc and free: the basis of the hooks for other libraries.
///
///     struct of_fonts {
///         static constexpr std::string_view name = "fonts";
///     };
///     using fonts = arenite::malloc_like<of_fonts>;
///     void* p = fonts::allocate(100);
///     p = fonts::reallocate(p, 200);
///     fonts::deallocate(p);
///
/// Use when:  a library accepts allocation functions that free without a size. For well-known
///            libraries there are headers beside this one.
/// Cost:      affinity_heap's. reallocate keeps memory in place if its slot has the new size; large
///            memory grows in place if there is room.
/// Overhead:  none per object. `Alignment` 8 saves memory if a library does not need 16.
/// Misuse:    freeing memory that belongs to no affinity, or freeing it twice, is a contract
///            violation in every build. Zero bytes count as 1, and never free; a size that is too
///            large gets nullptr.
/// Threads:   any; before main, after it, in a forked child. Not from a signal handler: it may
///            interrupt a call.
/// Failure:   nullptr; nothing changes.
template <AffinityTag A, std::size_t Alignment = default_alignment>
    requires(is_alignment(Alignment))
class malloc_like {
public:
    using affinity = A;

    [[nodiscard]] ARENITE_INLINE static void* allocate(std::size_t bytes) noexcept {
        return affinity_heap::try_allocate_in<A>(bytes, Alignment);
    }
    /// nullptr also if the alignment is not a power of two.
    [[nodiscard]] static void* allocate_aligned(std::size_t bytes, std::size_t alignment) noexcept {
        return is_alignment(alignment) ? affinity_heap::try_allocate_in<A>(bytes, alignment)
                                       : nullptr;
    }
    /// All bytes are 0, as with calloc. Above 8 KiB memory that is new is not touched.
    [[nodiscard]] static void* allocate_zeroed(std::size_t count, std::size_t bytes) noexcept {
        const auto all = detail::checked_multiply(count, bytes);
        return all ? detail::allocate_zeroed(heap(), *all, Alignment) : nullptr;
    }

    /// Allocates if p is null.
    [[nodiscard]] static void* reallocate(void* p, std::size_t bytes) noexcept {
        return p == nullptr ? allocate(bytes) : detail::reallocate_any(p, bytes, Alignment);
    }
    /// For a caller that knows the size of its last request; faster for a small shrink.
    [[nodiscard]] ARENITE_INLINE static void* reallocate(void* p, std::size_t old_bytes,
                                                         std::size_t bytes) noexcept {
        // To grow it asks the heap: p may have less room than a slot of its class.
        if (!detail::slow_only && p != nullptr && bytes <= old_bytes &&
            detail::size_class::is_listed(old_bytes, Alignment) &&
            detail::size_class::offset_of_listed(old_bytes, Alignment) ==
                detail::size_class::offset_of_listed(bytes, Alignment))
            return p;
        return reallocate(p, bytes);
    }

    /// nullptr is allowed.
    ARENITE_INLINE static void deallocate(void* p) noexcept {
        if (p != nullptr)
            affinity_heap::deallocate_any(p);
    }

    /// Usable bytes at p; 0 for nullptr, and if p belongs to no affinity.
    [[nodiscard]] ARENITE_INLINE static std::size_t size_of(const void* p) noexcept {
        const std::size_t bytes = p == nullptr ? 0 : detail::slot_bytes_at(p);
        return bytes != 0 ? bytes : detail::usable_bytes(p);
    }

    /// The underlying heap.
    [[nodiscard]] static affinity_heap& heap() noexcept { return affinity_heap::of<A>(); }
};

} // namespace ARENITE_ABI
} // namespace arenite
