// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// The pool behind containers of one slot size. Its owner takes and gives without a lock; others
// queue what they free, and the owner takes that back when it finds no slot. In `attended` the
// owner's thread is the only one that touches the pool, so it needs no lock; others push onto
// returned_ under lock_. In `unattended` and `orphan` everybody takes the lock. Read
// allocate_slow() and deallocate_foreign() first, then abandon() and set_attended(), which change
// the state.
#include <arenite/stl/detail/container_heap.hpp>

#include <arenite/check/detail/poison.hpp>
#include <arenite/core/contract.hpp>
#include <arenite/stl/detail/container_arrays.hpp>

#include <mutex>
#include <new>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

namespace {

/// In a region every request is for one block: nothing is left of it.
pool_options options_of_pool(std::size_t expected, return_policy policy,
                             const node_region* region) noexcept {
    if (region == nullptr)
        return {.policy = policy, .expected = expected, .mask_bytes = container_heap::mask_bytes};
    return {.block_bytes = region->block_bytes(),
            .policy = policy,
            .mask_bytes = region->block_bytes()};
}

} // namespace

container_heap::container_heap(std::size_t kind, state s, std::size_t expected,
                               return_policy policy, upstream up,
                               small_container_heaps* small_heaps,
                               const node_region* region) noexcept
    : pool_{container_slot(kind), options_of_pool(expected, policy, region), up},
      small_heaps_{small_heaps}, state_{s} {
    // Blocks name their pool as owner, and that pointer is read as one to the heap.
    ARENITE_ASSERT(static_cast<void*>(&pool_) == static_cast<void*>(this),
                   "a heap is where its pool is");
}

container_heap* container_heap::make(std::size_t kind, state s, std::size_t expected,
                                     return_policy policy, upstream up,
                                     small_container_heaps* small_heaps,
                                     const node_region* region) noexcept {
    void* const p = container_arrays::of_process().try_allocate(sizeof(container_heap),
                                                                alignof(container_heap));
    return p == nullptr ? nullptr : ::new (p) container_heap{kind, s,           expected, policy,
                                                             up,   small_heaps, region};
}

container_heap& container_heap::of_beside_regions(const void* p) noexcept {
    const std::size_t mask = node_region::mask_around(p);
    if (mask == 0)
        return of_masked(p);
    const auto& head = *reinterpret_cast<const block*>(align_down(address_of(p), mask));
    return *static_cast<container_heap*>(head.owner);
}

void container_heap::end() noexcept {
    this->~container_heap();
    container_arrays::deallocate(this, sizeof(container_heap), alignof(container_heap));
}

/// Slots that others returned come first.
void* container_heap::allocate_slow() noexcept {
    if (returned_.load(std::memory_order_relaxed) != nullptr) [[unlikely]] {
        // The relaxed look only says that the lock is worth taking; what the lock's other holders
        // wrote is seen under it.
        lock_.lock();
        link* const first = returned_.exchange(nullptr, std::memory_order_relaxed);
        lock_.unlock();
        take_back(first);
    }
    return pool_.try_allocate();
}

void container_heap::take_back(link* first) noexcept {
    while (first != nullptr) {
        poison::defined(first, sizeof(link));
        link* const next = first->next;
        poison::undefined(first, pool_.slot_bytes());
        pool_.deallocate(first);
        first = next;
    }
}

void* container_heap::try_allocate_locked() noexcept {
    const std::lock_guard guard{lock_};
    return pool_.try_allocate();
}

void container_heap::deallocate_foreign(void* p) noexcept {
    lock_.lock();
    if (state_ == state::attended) {
        link* const returned = ::new (p) link{returned_.load(std::memory_order_relaxed)};
        poison::no_access(p, pool_.slot_bytes());
        returned_.store(returned, std::memory_order_relaxed);
    } else {
        pool_.deallocate(p);
        if (state_ == state::orphan) {
            // The container is gone, and each free may be the last: nobody else would end the heap.
            if (--orphaned_ == 0) {
                lock_.unlock(); // no other thread knows of it any more
                return end();
            }
            // At each halving, so that memory follows what is left in O(log n) trims.
            if (orphaned_ <= trim_at_) {
                pool_.trim();
                trim_at_ = orphaned_ / 2;
            }
        }
    }
    lock_.unlock();
}

void container_heap::abandon() noexcept {
    lock_.lock();
    take_back(returned_.exchange(nullptr, std::memory_order_relaxed));
    orphaned_ = pool_.slots_in_use();
    if (orphaned_ == 0) {
        lock_.unlock();
        return end();
    }
    state_ = state::orphan;
    pool_.trim();
    trim_at_ = orphaned_ / 2;
    lock_.unlock();
}

void container_heap::set_attended(bool attended) noexcept {
    const std::lock_guard guard{lock_};
    // First what others freed, so that trim() finds it free.
    take_back(returned_.exchange(nullptr, std::memory_order_relaxed));
    if (!attended)
        pool_.trim();
    state_ = attended ? state::attended : state::unattended;
}

void container_heap::trim() noexcept {
    const std::lock_guard guard{lock_};
    pool_.trim();
}

arenite::usage container_heap::usage() const noexcept {
    const std::lock_guard guard{lock_};
    return pool_.usage();
}

bool container_heap::owns(const void* p) const noexcept {
    const std::lock_guard guard{lock_};
    return pool_.owns(p);
}

void container_heap::list_regions(region_sink& sink) const {
    const std::lock_guard guard{lock_};
    pool_.list_regions(sink);
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
