// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Calls in the manner of malloc for memory of any affinity, found from the address.
// reallocate_any() tries three things in turn: the slot as it is, the object in place, another one;
// where that fails the old object stays as it was.
#include <arenite/interop/malloc_like.hpp>

#include <arenite/affinity/detail/thread_heap.hpp>

#include <algorithm>
#include <cstring>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

std::size_t usable_bytes(const void* p) noexcept {
    const affinity_heap* const own = affinity_heap::heap_of(p);
    return own == nullptr ? 0 : own->size_of(p);
}

bool holds_zeros(const void* p, std::size_t bytes) noexcept {
    if (bytes <= size_class::largest_bytes) // a slot, which may have been used
        return false;
    thread_heap* const heap = thread_heap::around(p);
    return heap != nullptr && heap->is_zero(p);
}

void* allocate_zeroed(affinity_heap& heap, std::size_t bytes, std::size_t alignment) noexcept {
    void* const p = heap.try_allocate(bytes, alignment);
    return p == nullptr || holds_zeros(p, bytes) ? p : std::memset(p, 0, bytes);
}

void* reallocate_any(void* p, std::size_t bytes, std::size_t alignment) noexcept {
    const std::size_t slot_bytes = slot_bytes_at(p);
    if (slot_bytes != 0 && size_class::is_listed(bytes, alignment) &&
        size_class::slot_bytes(size_class::of_listed(bytes, alignment)) == slot_bytes)
        return p;
    affinity_heap* const own = affinity_heap::heap_of(p);
    if (own == nullptr)
        return nullptr;
    const std::size_t before = slot_bytes != 0 ? slot_bytes : own->size_of(p);
    // Nothing is resized to 0 bytes: a checked build would note another size than was asked.
    if (bytes != 0 && is_aligned(p, alignment) && own->try_resize(p, before, bytes, alignment))
        return p;
    void* const elsewhere = own->try_allocate(bytes, alignment);
    if (elsewhere == nullptr)
        return nullptr;
    // `before` is what the object can hold, not what was asked: a few bytes more are copied than
    // needed.
    std::memcpy(elsewhere, p, std::min(before, bytes));
    affinity_heap::deallocate_any(p);
    return elsewhere;
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
