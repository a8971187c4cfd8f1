// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/block/detail/block.hpp>
#include <arenite/block/return_policy.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/detail/spin_lock.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/core/region.hpp>
#include <arenite/core/upstream.hpp>
#include <arenite/core/usage.hpp>
#include <arenite/os/detail/fork_lock.hpp>
#include <arenite/pool/pool_resource.hpp>
#include <arenite/stl/detail/node_region.hpp>

#include <atomic>
#include <cstddef>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

class small_container_heaps;

/// The longest memory that comes from a slot; what is longer, or aligned to more than a slot can
/// be, is an array. Both sides of an allocation know its size, so they agree.
inline constexpr std::size_t largest_container_slot = 1_KiB;
inline constexpr std::size_t largest_container_slot_alignment = 64;

[[nodiscard]] constexpr bool in_container_slot(std::size_t bytes, std::size_t alignment) noexcept {
    return bytes <= largest_container_slot && alignment <= largest_container_slot_alignment;
}

/// Slots of containers are of whole 8 bytes: so many kinds of them.
inline constexpr std::size_t container_slot_kinds = largest_container_slot / 8 + 1;

[[nodiscard]] constexpr std::size_t container_slot_kind(std::size_t bytes) noexcept {
    return (bytes + (bytes == 0) + 7) / 8;
}

/// The slot of a kind: aligned as objects of its size can need it.
[[nodiscard]] constexpr slot container_slot(std::size_t kind) noexcept {
    const std::size_t bytes = kind * 8, lowest_bit = bytes & (0 - bytes);
    return {.bytes = bytes,
            .alignment = lowest_bit < largest_container_slot_alignment
                             ? lowest_bit
                             : largest_container_slot_alignment};
}

/// Empty memory that a container, or a thread for its small ones, may keep: a share of what is
/// in use, and so nothing in the end. Other empty memory is the page source's, which keeps it for
/// the next container: one bound for the process, however many containers have been emptied.
inline constexpr return_policy container_policy{.keep_bytes = 0, .keep_divisor = 4};

/// A pool that containers take slots of one size from, and the way back to it from any slot's
/// address, by whomever and on whatever thread it is freed.
///
///     slot -> masked: head of its block -> owner: this heap         (the mask: see node_region)
///
///     attended     one container's or one thread's, which takes from it without asking anyone;
///                  what others free is queued until that one looks for more
///     unattended   every call locks it: of a container_pool, of a thread that has ended
///     orphan       the same, of a container that has ended; its last slot ends it
///
/// In the child of a fork all is as it was, but for what the other threads were doing: what they
/// attended can be freed there as ever, and is not used again.
///
/// Threads:   try_allocate and deallocate by the one that attends it; the rest from any.
/// Failure:   nullptr; nothing changes.
class container_heap {
public:
    /// Blocks lie at multiples of this, on every upstream but a node_region.
    static constexpr std::size_t mask_bytes = page_block_bytes;

    enum class state : unsigned char { attended, unattended, orphan };

    /// nullptr where there is no memory. `small_heaps`: those it is one of, or nullptr. `expected`:
    /// slots to get memory for at the first request. `region`: where `up` is one.
    [[nodiscard]] static container_heap* make(std::size_t kind, state s, std::size_t expected,
                                              return_policy policy, upstream up,
                                              small_container_heaps* small_heaps,
                                              const node_region* region = nullptr) noexcept;
    void end() noexcept;

    container_heap(const container_heap&) = delete;
    container_heap& operator=(const container_heap&) = delete;

    /// A slot, of the kind that this heap is for.
    [[nodiscard]] ARENITE_INLINE void* try_allocate(std::size_t kind) noexcept {
        void* const p = pool_.try_take_ready(kind * 8);
        if (p != nullptr) [[likely]]
            return p;
        return allocate_slow();
    }

    /// Gives a slot back that lies beside those freed last. False, and nothing is done: it does
    /// not, or is of another heap.
    [[nodiscard]] ARENITE_INLINE bool try_rejoin(void* p, std::size_t kind) noexcept {
        return pool_.try_rejoin(p, kind * 8); // then it is ours: no need to look at its block
    }

    /// Then, a slot of this heap.
    ARENITE_INLINE void deallocate_apart(void* p) noexcept { pool_.deallocate_apart(p); }

    ARENITE_INLINE void deallocate(void* p) noexcept { pool_.deallocate(p); }

    /// The heap of any slot.
    [[nodiscard]] ARENITE_INLINE static container_heap& of(const void* p) noexcept {
        return node_region::any() ? of_beside_regions(p) : of_masked(p);
    }
    /// That, as long as there is no node_region.
    [[nodiscard]] ARENITE_INLINE static container_heap& of_masked(const void* p) noexcept {
        return *static_cast<container_heap*>(
            masked_head_of(p).owner); // its pool is its first member
    }

    [[nodiscard]] ARENITE_INLINE const small_container_heaps* small_heaps() const noexcept {
        return small_heaps_;
    }

    /// Under the lock, where no thread attends it.
    [[nodiscard]] void* try_allocate_locked() noexcept;

    /// From a thread or a container that does not attend it.
    void deallocate_foreign(void* p) noexcept;

    /// Its container ends: with it the heap, or with the last slot.
    void abandon() noexcept;

    /// Its thread ends, or another one takes over.
    void set_attended(bool attended) noexcept;

    /// In a container_pool: the thread that takes slots from this, and the heap of another one.
    [[nodiscard]] const void* thread() const noexcept { return thread_; }
    void set_thread(const void* thread) noexcept { thread_ = thread; }
    [[nodiscard]] std::atomic<container_heap*>& next() noexcept { return next_; }

    void trim() noexcept;
    [[nodiscard]] arenite::usage usage() const noexcept;
    [[nodiscard]] bool owns(const void* p) const noexcept;
    void list_regions(region_sink& sink) const;

private:
    struct link {
        link* next;
    };

    container_heap(std::size_t kind, state s, std::size_t expected, return_policy policy,
                   upstream up, small_container_heaps* small_heaps,
                   const node_region* region) noexcept;
    ~container_heap() = default;

    [[nodiscard]] ARENITE_COLD static container_heap& of_beside_regions(const void* p) noexcept;
    [[nodiscard]] ARENITE_INLINE static const block& masked_head_of(const void* p) noexcept {
        return *reinterpret_cast<const block*>(align_down(address_of(p), mask_bytes));
    }

    ARENITE_NOINLINE void* allocate_slow() noexcept;
    void take_back(link* first) noexcept;

    pool_resource pool_;
    std::atomic<link*> returned_{nullptr}; // written under the lock
    small_container_heaps* const small_heaps_;
    mutable fork_lock<spin_lock> lock_;
    state state_;
    std::size_t orphaned_ = 0; // slots of an orphan
    std::size_t trim_at_ = 0;
    const void* thread_ = nullptr; // set before others see this
    std::atomic<container_heap*> next_{nullptr};
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
