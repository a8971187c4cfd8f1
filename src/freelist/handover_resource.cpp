// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/freelist/handover_resource.hpp>

#include <arenite/check/passthrough.hpp>
#include <arenite/core/contract.hpp>

#include <new>

namespace arenite {
inline namespace ARENITE_ABI {

handover_resource::~handover_resource() { static_cast<void>(collect(~std::size_t{0})); }

std::size_t handover_resource::collect(std::size_t most) noexcept {
    std::size_t count = 0;
    while (count < most) {
        entry* const e = handed_over_.take();
        if (e == nullptr)
            break;
        region_.deallocate(e, e->bytes);
        ++count;
    }
    return count;
}

void* handover_resource::try_allocate(std::size_t bytes, std::size_t alignment) noexcept {
    if (owner_.load(std::memory_order_relaxed) == nullptr) [[unlikely]]
        own();
    ARENITE_ASSERT(is_owner(), "only the owner of a handover_resource allocates; see own()");
    static_cast<void>(collect(options_.freed_by_each));
    void* p = region_.try_allocate(at_least(bytes), alignment);
    if (p == nullptr && collect(options_.freed_before_failing) != 0) [[unlikely]]
        p = region_.try_allocate(at_least(bytes), alignment);
    return p;
}

void handover_resource::deallocate(void* p, std::size_t bytes, std::size_t alignment) noexcept {
    // An address of others, or null, is reported here: nothing may be written there.
    if (is_owner() || !region_.owns(p)) [[likely]]
        return region_.deallocate(p, at_least(bytes), alignment);
    entry* const e = ::new (p) entry{nullptr, at_least(bytes)};
    handed_over_.put(*e);
}

} // namespace ARENITE_ABI
} // namespace arenite
