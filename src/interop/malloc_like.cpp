// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/interop/malloc_like.hpp>

#include <algorithm>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

std::size_t usable_bytes(const void* p) noexcept {
    const affinity_heap* const own = affinity_heap::heap_of(p);
    return own == nullptr ? 0 : own->size_of(p);
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
    std::memcpy(elsewhere, p, std::min(before, bytes));
    affinity_heap::deallocate_any(p);
    return elsewhere;
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
