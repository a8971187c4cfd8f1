// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// The owner's side first: collect() frees what others handed over, and try_allocate() collects a
// little each time. Then freeing: at once by the owner; by any other thread as an entry in the
// freed memory itself, whose mark shows a second hand-over. The queue is a single exchange for the
// thread that puts and never a wait for the owner: where a thread was stopped between its exchange
// and its link, take() sees an end there and leaves the rest for the next call.
#include <arenite/freelist/handover_resource.hpp>

#include <arenite/check/detail/poison.hpp>
#include <arenite/core/contract.hpp>
#include <arenite/freelist/detail/unit_map.hpp>

#include <cstring>
#include <new>
#include <source_location>
#include <utility>

namespace arenite {
inline namespace ARENITE_ABI {

handover_resource::~handover_resource() { static_cast<void>(collect(~std::size_t{0})); }

std::size_t handover_resource::collect(std::size_t most) noexcept {
    std::size_t count = 0;
    while (count < most) {
        entry* const e = handed_over_.take();
        if (e == nullptr)
            break;
        // mark_of() is its own inverse, as it mixes by exclusive or: what is handed to it here is
        // the mark, and the size comes out. The mark is cleared, so that it is not taken for a
        // second hand-over when the memory serves again.
        region_.deallocate(e, mark_of(e, std::exchange(e->mark, 0)));
        ++count;
    }
    return count;
}

void* handover_resource::try_allocate(std::size_t bytes, std::size_t alignment) noexcept {
    if (owner_.load(std::memory_order_relaxed) == nullptr) [[unlikely]]
        own();
    ARENITE_ASSERT(is_owner(), "only the owner of a handover_resource allocates; see own()");
    // A bounded number each time, so that the worst call is known; by default two, so that the
    // queue gets shorter while as much is allocated as freed.
    static_cast<void>(collect(options_.freed_by_each));
    void* p = region_.try_allocate(at_least(bytes), alignment);
    if (p == nullptr && collect(options_.freed_before_failing) != 0) [[unlikely]]
        p = region_.try_allocate(at_least(bytes), alignment);
    return p;
}

/// Whose second word only looks like a mark is freed as usual: what its first word holds is then
/// neither null nor memory that could be the next one.
void handover_resource::refuse_second(const void* p) const noexcept {
    const entry* next = nullptr;
    std::memcpy(&next, p, sizeof next);
    if (next != nullptr && !region_.owns(next) && !handed_over_.is_own(next))
        return;
    contract_violation_f(
        std::source_location::current(),
        "%p was freed into handover_resource %p twice: it was handed over, and its "
        "owner has not freed it yet",
        p, static_cast<const void*>(this));
}

void handover_resource::deallocate(void* p, std::size_t bytes, std::size_t alignment) noexcept {
    if constexpr (checks_enabled) {
        // Its owner may be inside region_ now, which is for one thread.
        if (!is_owner() && !region_.owns(p))
            detail::unit_map::refuse_foreign({"tlsf_resource", &region_, options_.region.name}, p,
                                             at_least(bytes));
    }
    // An address of others, or null, is reported here: nothing may be written there.
    if (is_owner() || !region_.owns(p)) [[likely]]
        return region_.deallocate(p, at_least(bytes), alignment);
    const std::size_t mark = mark_of(p, at_least(bytes));
    std::size_t before;
    if (detail::poison::accessible(p, sizeof(entry))) // else a memory checker tells of the read
        detail::poison::defined(p, sizeof(entry));
    std::memcpy(&before, static_cast<const std::byte*>(p) + offsetof(entry, mark), sizeof before);
    if (before == mark) [[unlikely]]
        refuse_second(p);
    entry* const e = ::new (p) entry{nullptr, mark};
    handed_over_.put(*e);
}

} // namespace ARENITE_ABI
} // namespace arenite
