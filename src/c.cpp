// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// The C interface: each function finds the affinity_heap behind the handle, sees to null where C
// may pass it, and asks that heap. Failures are null or 0; nothing is thrown. Trim and usage of a
// null heap are those of all affinities. Handles are addresses of affinity_heaps, cast and never
// dereferenced as anything else. Read arenite_affinity() first. Misuse in C++ is misuse here, and
// ends in the contract handler, which must not throw through C.
#include <arenite/c.h>

#include <arenite/affinity/affinity_heap.hpp>
#include <arenite/affinity/detail/affinity_registry.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/core/usage.hpp>
#include <arenite/interop/malloc_like.hpp>

#include <cstddef>
#include <cstring>
#include <string_view>

namespace {

using arenite::affinity_heap;

constexpr std::size_t longest_name = 63;

affinity_heap* heap_behind(arenite_heap* h) noexcept { return reinterpret_cast<affinity_heap*>(h); }
const affinity_heap* heap_behind(const arenite_heap* h) noexcept {
    return reinterpret_cast<const affinity_heap*>(h);
}
arenite_heap* for_c(affinity_heap* h) noexcept { return reinterpret_cast<arenite_heap*>(h); }

} // namespace

extern "C" {

arenite_heap* arenite_affinity(const char* name) {
    if (name == nullptr)
        return nullptr;
    // One more than is allowed: enough to see that a name is too long, without reading to its end.
    const std::string_view text{name, strnlen(name, longest_name + 1)};
    if (text.empty() || text.size() > longest_name)
        return nullptr;
    return for_c(arenite::detail::affinity_registry::try_get(text, nullptr));
}

void* arenite_allocate(arenite_heap* heap, std::size_t bytes) {
    return heap == nullptr ? nullptr : heap_behind(heap)->try_allocate(bytes);
}

void* arenite_allocate_aligned(arenite_heap* heap, std::size_t bytes, std::size_t alignment) {
    // Null in every build; in checked ones the C++ call would be a contract violation.
    if (heap == nullptr || !arenite::is_alignment(alignment))
        return nullptr;
    return heap_behind(heap)->try_allocate(bytes, alignment);
}

void* arenite_allocate_object(arenite_heap* heap, std::size_t bytes) {
    return heap == nullptr ? nullptr : heap_behind(heap)->try_allocate_object(bytes);
}

void arenite_deallocate(void* p) { affinity_heap::deallocate_any(p); } // null goes the long way

void arenite_deallocate_sized(void* p, std::size_t bytes, std::size_t alignment) {
    if (p != nullptr)
        affinity_heap::deallocate_any(p, bytes, alignment);
}

void* arenite_reallocate(arenite_heap* heap, void* p, std::size_t bytes) {
    if (p == nullptr)
        return arenite_allocate(heap, bytes);
    return arenite::detail::reallocate_any(p, bytes, arenite::default_alignment);
}

std::size_t arenite_size_of(const void* p) { return arenite::detail::usable_bytes(p); }

arenite_heap* arenite_affinity_of(const void* p) { return for_c(affinity_heap::heap_of(p)); }

int arenite_owns(const arenite_heap* heap, const void* p) {
    return heap != nullptr && affinity_heap::heap_of(p) == heap_behind(heap) ? 1 : 0;
}

const char* arenite_name(const arenite_heap* heap) {
    return heap == nullptr ? nullptr : heap_behind(heap)->name().data(); // which ends with a zero
}

int arenite_retire(arenite_heap* heap) {
    return heap != nullptr && arenite::detail::affinity_registry::try_retire(*heap_behind(heap)) ==
                                  arenite::detail::retirement::done
               ? 1
               : 0;
}

std::size_t arenite_trim(arenite_heap* heap) {
    return (heap == nullptr ? affinity_heap::trim_all() : heap_behind(heap)->trim()).bytes_returned;
}

arenite_usage arenite_usage_of(const arenite_heap* heap) {
    const arenite::usage u =
        heap == nullptr ? affinity_heap::usage_all() : heap_behind(heap)->usage();
    return {u.bytes_in_use, u.bytes_reserved, u.high_water_bytes, u.live_allocations};
}

} // extern "C"
