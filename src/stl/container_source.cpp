// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// The calls of a container that are not inlined: the first slots of a heap of its own; slots that
// go back to whatever heap they are of; arrays. One word says where memory comes from: a heap of
// the container's own, a pool, or a count of slots in the thread's shared heaps.
// allocate_slot_slow() is where a container that has grown gets a heap of its own; slots from
// before stay where they are, so each release asks the slot's block, not the word.
#include <arenite/stl/detail/container_source.hpp>

#include <arenite/check/passthrough.hpp>
#include <arenite/os/page_resource.hpp>
#include <arenite/stl/container_pool.hpp>
#include <arenite/stl/detail/container_arrays.hpp>

#include <algorithm>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

void* container_source::allocate_slot_slow(std::size_t kind, std::uintptr_t enough,
                                           std::size_t expected) noexcept {
    if (container_pool* const shared = pool())
        return shared->try_allocate_slot(kind, expected);
    if (passthrough())
        return container_arrays::of_process().try_allocate(kind * 8,
                                                           container_slot(kind).alignment);
    if (word_ >= enough) {
        container_heap* const mine =
            container_heap::make(kind, container_heap::state::attended, expected, container_policy,
                                 &page_source(), nullptr);
        if (mine != nullptr) {
            if (void* const p = mine->try_allocate(kind)) {
                word_ = address_of(mine);
                return p;
            }
            // Its first slot was refused: without one the heap would never be found again.
            mine->end();
        }
    }
    void* const p = small_container_heaps::try_allocate_slow(kind);
    if (p != nullptr)
        word_ += counted;
    return p;
}

/// A slot of whatever heap, from a container that has this one of its own, or none.
void container_source::release_from(const container_heap* own, void* p,
                                    std::size_t bytes) noexcept {
    const small_container_heaps* const small_heaps = small_container_heaps::of_this_thread();
    if (small_heaps == nullptr && passthrough()) [[unlikely]] {
        const std::size_t kind = container_slot_kind(bytes);
        return container_arrays::deallocate(p, kind * 8, container_slot(kind).alignment);
    }
    container_heap& heap = container_heap::of(p);
    // This thread may touch it without a lock: its container's own heap, or its thread's.
    if (&heap == own || (small_heaps != nullptr && heap.small_heaps() == small_heaps))
        return heap.deallocate(p);
    heap.deallocate_foreign(p);
}

/// A slot from a container that has a heap of its own, or a pool.
void container_source::release_of_larger(void* p, std::size_t bytes) noexcept {
    const container_pool* const shared = pool();
    if (shared == nullptr)
        return release_from(&own(), p, bytes);
    // Mostly of its pool, which has a heap of that kind then, and none where all goes to malloc.
    if (shared->heaps_[container_slot_kind(bytes)].load(std::memory_order_relaxed) == nullptr)
        return release_from(nullptr, p, bytes);
    container_heap::of(p).deallocate_foreign(p);
}

/// The call of a container with few elements is short: what it calls besides comes last, and no
/// registers are saved for it.
void container_source::release_slot(void* p, std::size_t bytes) noexcept {
    const std::uintptr_t word = word_;
    if ((word & counting_mark) == 0) [[unlikely]]
        return release_of_larger(p, bytes);
    if (word >= counting_mark + counted)
        word_ = word - counted;
    const small_container_heaps* const small_heaps = small_container_heaps::of_this_thread();
    // While there is a region, a mask alone could lead to the wrong block.
    if (small_heaps != nullptr && !node_region::any()) [[likely]] {
        container_heap& heap = container_heap::of_masked(p);
        if (heap.small_heaps() == small_heaps) [[likely]]
            return heap.deallocate(p);
    }
    release_from(nullptr, p, bytes);
}

/// Several in a slot: with room for the alignment of each.
[[nodiscard]] static std::size_t kind_of_array(std::size_t bytes) noexcept {
    return std::max<std::size_t>(2, align_up(bytes, 16) / 8);
}

void* container_source::try_allocate_array(std::size_t bytes, std::size_t alignment) noexcept {
    container_pool* const shared = pool();
    if (!in_container_slot(bytes, alignment) || passthrough()) {
        return shared != nullptr ? shared->try_allocate_array(bytes, alignment)
                                 : container_arrays::of_process().try_allocate(bytes, alignment);
    }
    const std::size_t kind = kind_of_array(bytes);
    if (shared != nullptr)
        return shared->try_allocate_slot(kind, 0);
    small_container_heaps* const small_heaps = small_container_heaps::of_this_thread();
    container_heap* const heap = small_heaps != nullptr ? small_heaps->heap(kind) : nullptr;
    return heap != nullptr ? heap->try_allocate(kind)
                           : small_container_heaps::try_allocate_slow(kind);
}

void container_source::deallocate_array(void* p, std::size_t bytes,
                                        std::size_t alignment) noexcept {
    if (!in_container_slot(bytes, alignment) || passthrough())
        return container_arrays::deallocate(p, bytes, alignment);
    release_from(nullptr, p, kind_of_array(bytes) * 8);
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
