// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/stl/container_heap.hpp>

#include <arenite/check/passthrough.hpp>
#include <arenite/check/poison.hpp>
#include <arenite/core/contract.hpp>
#include <arenite/core/size.hpp>
#include <arenite/core/thread_exit.hpp>
#include <arenite/os/page_resource.hpp>
#include <arenite/stl/container_pool.hpp>

#include <algorithm>
#include <mutex>
#include <new>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

namespace {

// What a container, or a thread for its small ones, keeps although it is empty: a share of what is
// in use, and so nothing in the end. What is empty is the page source's, which keeps it for whoever
// comes next: one bound for the process, however many containers have been emptied.
constexpr return_policy own_policy{.keep_bytes = 0, .keep_divisor = 4};

[[nodiscard]] slot slot_of_kind(std::size_t kind) noexcept {
    const std::size_t bytes = kind * 8;
    return {.bytes = bytes,
            .alignment = std::min(bytes & (0 - bytes), largest_container_slot_alignment)};
}

} // namespace

// ---- heap ---------------------------------------------------------------------------------------

container_heap::container_heap(std::size_t kind, state s, std::size_t expected,
                               return_policy policy, upstream up,
                               container_nursery* nursery) noexcept
    : pool_{slot_of_kind(kind),
            pool_options{.policy = policy, .expected = expected, .mask_bytes = mask_bytes}, up},
      nursery_{nursery}, state_{s} {
    ARENITE_ASSERT(static_cast<void*>(&pool_) == static_cast<void*>(this),
                   "a heap is where its pool is");
}

container_heap* container_heap::make(std::size_t kind, state s, std::size_t expected,
                                     return_policy policy, upstream up,
                                     container_nursery* nursery) noexcept {
    void* const p = container_arrays::of_process().try_allocate(sizeof(container_heap),
                                                                alignof(container_heap));
    return p == nullptr ? nullptr
                        : ::new (p) container_heap{kind, s, expected, policy, up, nursery};
}

void container_heap::end() noexcept {
    this->~container_heap();
    container_arrays::deallocate(this, sizeof(container_heap), alignof(container_heap));
}

/// What was returned by others comes first.
void* container_heap::allocate_slow() noexcept {
    if (returned_.load(std::memory_order_relaxed) != nullptr) [[unlikely]] {
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
            if (--orphaned_ == 0) {
                lock_.unlock(); // nobody else knows of it any more
                return end();
            }
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

void container_heap::list_regions(region_sink& sink) const {
    const std::lock_guard guard{lock_};
    pool_.list_regions(sink);
}

// ---- arrays -------------------------------------------------------------------------------------

struct container_arrays::prefix {
    container_arrays* owner;
    std::uintptr_t check; // the owner's address and something else

    static constexpr std::uintptr_t mark = 0x61727261'79730a0d;
};

namespace {

[[nodiscard]] std::size_t bytes_before(std::size_t alignment) noexcept {
    return std::max(alignment, std::size_t{16});
}

} // namespace

container_arrays& container_arrays::of_process() noexcept {
    alignas(container_arrays) static std::byte place[sizeof(container_arrays)];
    static container_arrays& arrays =
        *::new (static_cast<void*>(place)) container_arrays{ordered_options{}, &page_source()};
    return arrays;
}

void* container_arrays::try_allocate(std::size_t bytes, std::size_t alignment) noexcept {
    static_assert(sizeof(prefix) == 16);
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
    const prefix found = *std::launder(reinterpret_cast<prefix*>(at - sizeof(prefix)));
    if (found.check != (address_of(found.owner) ^ prefix::mark)) [[unlikely]]
        contract_violation_f(std::source_location::current(),
                             "%p was freed by a pool_allocator, which did not allocate it", p);
    const std::size_t before = bytes_before(alignment);
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

void container_arrays::list_regions(region_sink& sink) const {
    const std::lock_guard guard{mutex_};
    heap_.list_regions(sink);
}

// ---- nursery ------------------------------------------------------------------------------------

constinit thread_local container_nursery* container_nursery::current = nullptr;

// What the threads have in common.
struct container_nursery::shared {
    fork_lock<std::mutex> mutex;
    container_nursery* idle = nullptr; // of threads that have ended
    container_nursery* late = nullptr; // for objects that end after their thread's own

    [[nodiscard]] static shared& get() noexcept {
        // Never destroyed: static containers end late.
        alignas(shared) static std::byte place[sizeof(shared)];
        static shared& s = *::new (static_cast<void*>(place)) shared;
        return s;
    }
};

/// The thread ends, and the next one may have what it leaves.
void container_nursery::leave() noexcept {
    container_nursery* const mine = std::exchange(current, nullptr);
    if (mine == nullptr)
        return;
    mine->attend(false);
    shared& s = shared::get();
    const std::lock_guard guard{s.mutex};
    mine->next_ = s.idle;
    s.idle = mine;
}

void container_nursery::attend(bool attended) noexcept {
    for (container_heap* const heap : heaps_)
        if (heap != nullptr)
            heap->set_attended(attended);
}

/// One that a thread has left behind, or a new one.
container_nursery* container_nursery::take() noexcept {
    shared& s = shared::get();
    {
        const std::lock_guard guard{s.mutex};
        if (s.idle != nullptr)
            return std::exchange(s.idle, s.idle->next_);
    }
    void* const p = container_arrays::of_process().try_allocate(sizeof(container_nursery),
                                                                alignof(container_nursery));
    return p == nullptr ? nullptr : ::new (p) container_nursery;
}

container_heap* container_nursery::make_heap(std::size_t kind, container_heap::state s) noexcept {
    if (heaps_[kind] == nullptr)
        heaps_[kind] = container_heap::make(kind, s, 0, own_policy, &page_source(), this);
    return heaps_[kind];
}

void* container_nursery::try_allocate_slow(std::size_t kind) noexcept {
    if (thread_exit::has_come()) {
        shared& s = shared::get();
        container_heap* heap = nullptr;
        {
            const std::lock_guard guard{s.mutex};
            if (s.late == nullptr) {
                void* const p = container_arrays::of_process().try_allocate(
                    sizeof(container_nursery), alignof(container_nursery));
                s.late = p == nullptr ? nullptr : ::new (p) container_nursery;
            }
            if (s.late != nullptr)
                heap = s.late->make_heap(kind, container_heap::state::unattended);
        }
        return heap == nullptr ? nullptr : heap->try_allocate_locked();
    }
    if (current == nullptr) {
        container_nursery* const mine = take();
        if (mine == nullptr)
            return nullptr;
        mine->attend(true);
        thread_exit::await(&leave);
        current = mine;
    }
    container_heap* const heap = current->make_heap(kind, container_heap::state::attended);
    return heap == nullptr ? nullptr : heap->try_allocate(kind);
}

// ---- source -------------------------------------------------------------------------------------

void* container_source::allocate_slot_slow(std::size_t kind, std::uintptr_t enough,
                                           std::size_t expected) noexcept {
    if (container_pool* const shared = pool())
        return shared->try_allocate_slot(kind, expected);
    if (passthrough())
        return container_arrays::of_process().try_allocate(kind * 8, slot_of_kind(kind).alignment);
    if (word_ >= enough) {
        container_heap* const mine = container_heap::make(
            kind, container_heap::state::attended, expected, own_policy, &page_source(), nullptr);
        if (mine != nullptr) {
            if (void* const p = mine->try_allocate(kind)) {
                word_ = address_of(mine);
                return p;
            }
            mine->end();
        }
    }
    void* const p = container_nursery::try_allocate_slow(kind);
    if (p != nullptr)
        word_ += counted;
    return p;
}

void container_source::release_slot_slow(void* p, std::size_t bytes) noexcept {
    if (passthrough()) [[unlikely]] {
        const std::size_t kind = container_slot_kind(bytes);
        return container_arrays::deallocate(p, kind * 8, slot_of_kind(kind).alignment);
    }
    container_heap::of(p).deallocate_foreign(p);
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
    container_nursery* const nursery = container_nursery::of_this_thread();
    container_heap* const heap = nursery != nullptr ? nursery->heap(kind) : nullptr;
    return heap != nullptr ? heap->try_allocate(kind) : container_nursery::try_allocate_slow(kind);
}

void container_source::deallocate_array(void* p, std::size_t bytes,
                                        std::size_t alignment) noexcept {
    if (!in_container_slot(bytes, alignment) || passthrough())
        return container_arrays::deallocate(p, bytes, alignment);
    release_slot(p, kind_of_array(bytes) * 8);
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
