// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/affinity/affinity_heap.hpp>
#include <arenite/affinity/detail/thread_table.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/sizes.hpp>
#include <arenite/interop/malloc_like.hpp>
#include <arenite/ordered/detail/own_frees.hpp>
#include <arenite/ordered/detail/slab_heap.hpp>

#include <cstddef>
#include <string_view>

/// The memory of malloc and operator new: one affinity of a private copy of the library.
///
///     malloc, new ----> take --> this thread's heap, inline
///                         \----> take_slow    the first call of a thread, large, the heap grows
///     free, delete ---> give --> a page of this thread's heap, inline
///                         \----> give_slow    elsewhere in it, another heap's, null
///
/// Nothing here calls the C++ library, so that a program of C needs none.
namespace arenite {
inline namespace ARENITE_ABI {
namespace drop_in {

struct of_malloc {
    static constexpr std::string_view name = "malloc";
    static constexpr arenite::sizes sizes = arenite::sizes::kept; // listed one by one
};
using memory = malloc_like<of_malloc>;

/// The alignment of every object.
inline constexpr std::size_t usual_alignment = default_alignment;

/// This thread's heap, or one without slots and pages where a call is a slow one. There is one
/// affinity, the first.
[[nodiscard]] ARENITE_INLINE detail::slab_front* ready() noexcept {
    return detail::thread_table::ready_of_only();
}

[[nodiscard]] ARENITE_NOINLINE void* take_slow(std::size_t bytes) noexcept;
/// Frees what lies in no page of this thread's heap; p may be null.
ARENITE_NOINLINE void give_slow(void* p) noexcept;

/// A slot that lies ready, or null.
[[nodiscard]] ARENITE_INLINE void* take_ready(std::size_t bytes) noexcept {
    return ready()->try_take(bytes, usual_alignment);
}

[[nodiscard]] ARENITE_INLINE void* take(std::size_t bytes) noexcept {
    void* const p = take_ready(bytes);
    return p != nullptr ? p : take_slow(bytes);
}

/// take() where a slot's own size aligns it, as one of 4 KiB does: else nullptr.
[[nodiscard]] void* take_aligned_slot(std::size_t bytes, std::size_t alignment) noexcept;

/// nullptr also if the alignment is not a power of two.
[[nodiscard]] ARENITE_INLINE void* take(std::size_t bytes, std::size_t alignment) noexcept {
    if (alignment <= usual_alignment)
        return take(bytes);
    void* const p = take_aligned_slot(bytes, alignment);
    return p != nullptr ? p : memory::allocate_aligned(bytes, alignment);
}

ARENITE_INLINE void give(void* p) noexcept {
    if (!ready()->try_give(p)) [[unlikely]]
        give_slow(p);
}

/// errno is ENOMEM. Returns nullptr.
ARENITE_COLD void* no_memory() noexcept;

/// To be called at each slow call: memory that is not used goes back.
void look() noexcept;
/// Where the thread has a heap since this call: what it freed of large objects before is looked at.
void begin_owed_watch() noexcept;

} // namespace drop_in
} // namespace ARENITE_ABI
} // namespace arenite
