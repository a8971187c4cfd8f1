// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// The calls of a thread heap that is used under its lock: each goes to the resource that it has.
// The constructor takes the heap's lock and the destructor leaves it, so each call here has the
// resource to itself, whichever thread owns the heap. Kinds that can't do something (resize in
// place, allocate near) say so by false or nullptr.
#include <arenite/affinity/detail/locked_heap.hpp>

#include <arenite/core/detail/size.hpp>
#include <arenite/ordered/detail/slab_survey.hpp>

#include "thread_heap_room.hpp"

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

namespace {

/// Memory of it may wait from now on.
void note_freed() noexcept {
#if ARENITE_IS_MALLOC
    expect_idling_after_large();
#endif
}

} // namespace

void* locked_heap::try_allocate(std::size_t bytes, std::size_t alignment) noexcept {
    if (!heap_.remote_.is_empty()) [[unlikely]] // it may stand where an unlocked one was
        heap_.remote_.forward_all();
    return heap_.room().visit([&](auto& r) { return r.try_allocate(bytes, alignment); });
}

void* locked_heap::try_allocate_near(const void* neighbour, std::size_t bytes,
                                     std::size_t alignment) noexcept {
    return heap_.kind_ == thread_heap_kind::ordered
               ? heap_.heap().try_allocate_near(neighbour, bytes, alignment)
               : nullptr;
}

void locked_heap::deallocate(void* p, std::size_t bytes, std::size_t alignment) noexcept {
    heap_.room().visit([&](auto& r) {
        if (bytes == unknown_bytes)
            r.deallocate(p);
        else
            r.deallocate(p, bytes, alignment);
    });
    note_freed();
}

bool locked_heap::try_resize(void* p, std::size_t old_bytes, std::size_t new_bytes,
                             std::size_t alignment) noexcept {
    if (!thread_heap_room::is_slab_heap(heap_.kind_) ||
        !heap_.heap().try_resize(p, old_bytes, new_bytes, alignment))
        return false;
    if (new_bytes < old_bytes)
        note_freed();
    return true;
}

std::size_t locked_heap::size_of(const void* p) noexcept {
    return heap_.room().visit([&](auto& r) { return r.size_of(p); });
}

void locked_heap::set_block_bytes(std::size_t bytes) noexcept {
    if (bytes == heap_.options_.block_bytes)
        return;
    heap_.options_.block_bytes = bytes;
    // Only blocks made from now on have the new size; those that exist stay as they are.
    const std::size_t span_bytes = thread_heap_room::span_bytes(bytes);
    heap_.room().visit([&](auto& r) {
        if constexpr (requires { r.slabs(); })
            r.slabs().blocks().set_block_bytes(span_bytes);
        else
            r.set_block_bytes(span_bytes);
    });
}

void locked_heap::trim() noexcept {
    heap_.room().visit([](auto& r) { r.trim(); });
}

arenite::usage locked_heap::usage() noexcept {
    return heap_.room().visit([](auto& r) { return r.usage(); });
}

void locked_heap::list_regions(region_sink& sink) {
    const bool sizes_kept = slow_only || heap_.options_.sizes == sizes::kept;
    heap_.room().visit([&](auto& r) {
        if constexpr (requires { r.slabs(); })
            slab_survey::list_regions(r.slabs(), sink, sizes_kept);
        else
            r.list_regions(sink);
    });
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
