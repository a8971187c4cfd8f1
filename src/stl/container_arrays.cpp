// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Arrays of containers: an ordered_heap behind a lock, one for the process and one for each
// container_pool. A prefix before an array leads its free back to the heap that it is of. A free
// comes with an address and no container, and perhaps after its container_pool has been replaced by
// another allocator: so the owner is read from the prefix, not from whoever calls. Read
// try_allocate(), then deallocate().
#include <arenite/stl/detail/container_arrays.hpp>

#include <arenite/core/alignment.hpp>
#include <arenite/core/contract.hpp>
#include <arenite/core/detail/process_object.hpp>
#include <arenite/core/detail/size.hpp>
#include <arenite/os/page_resource.hpp>

#include <algorithm>
#include <cstdint>
#include <new>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

struct container_arrays::prefix {
    container_arrays* owner;
    std::uintptr_t check; // the owner's address and something else

    static constexpr auto mark = static_cast<std::uintptr_t>(0x61727261'79730a0d);
};

namespace {

[[nodiscard]] std::size_t bytes_before(std::size_t alignment) noexcept {
    // In whole alignments, so that the array behind it is aligned, too.
    return std::max(alignment, std::size_t{16});
}

} // namespace

container_arrays& container_arrays::of_process() noexcept {
    struct make {
        container_arrays operator()() const noexcept { return {ordered_options{}, &page_source()}; }
    };
    return process_object<container_arrays, container_arrays, make>::get();
}

void* container_arrays::try_allocate(std::size_t bytes, std::size_t alignment) noexcept {
    static_assert(sizeof(prefix) <= 16);
    const std::size_t before = bytes_before(alignment);
    const std::optional<std::size_t> total = checked_add(bytes, before);
    if (!total)
        return nullptr;
    std::byte* p = nullptr;
    {
        const std::lock_guard guard{mutex_};
        p = static_cast<std::byte*>(heap_.try_allocate(*total, before));
        if (p == nullptr)
            return nullptr;
        ++live_;
    }
    p += before;
    ::new (static_cast<void*>(p - sizeof(prefix))) prefix{this, address_of(this) ^ prefix::mark};
    return p;
}

void container_arrays::deallocate(void* p, std::size_t bytes, std::size_t alignment) noexcept {
    auto* const at = static_cast<std::byte*>(p);
    // A copy: below, the owner is still needed when the memory is the heap's again.
    const prefix found = *std::launder(reinterpret_cast<prefix*>(at - sizeof(prefix)));
    if (found.check != (address_of(found.owner) ^ prefix::mark)) [[unlikely]]
        contract_violation_f(std::source_location::current(),
                             "%p was freed by a pool_allocator, which did not allocate it", p);
    const std::size_t before = bytes_before(alignment);
    // Outside the lock: until the free below it is this thread's memory; a second free finds 0.
    reinterpret_cast<prefix*>(at - sizeof(prefix))->check = 0;
    const std::lock_guard guard{found.owner->mutex_};
    found.owner->heap_.deallocate(at - before, bytes + before, before);
    --found.owner->live_;
}

void container_arrays::trim() noexcept {
    const std::lock_guard guard{mutex_};
    heap_.trim();
}

arenite::usage container_arrays::usage() const noexcept {
    const std::lock_guard guard{mutex_};
    arenite::usage u = heap_.usage();
    u.live_allocations = live_;
    return u;
}

bool container_arrays::owns(const void* p) const noexcept {
    const std::lock_guard guard{mutex_};
    return heap_.owns(p);
}

void container_arrays::list_regions(region_sink& sink) const {
    const std::lock_guard guard{mutex_};
    heap_.list_regions(sink);
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
