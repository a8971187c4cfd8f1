// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/block/block.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/core/spin_lock.hpp>
#include <arenite/core/upstream.hpp>
#include <arenite/ordered/ordered_heap.hpp>
#include <arenite/os/fork_lock.hpp>
#include <arenite/pool/pool_resource.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>

namespace arenite {
inline namespace ARENITE_ABI {

class container_pool;

namespace detail {

class container_nursery;

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

/// A pool that containers take slots of one size from, and the way back to it from any slot's
/// address, by whomever and on whatever thread it is freed.
///
///     slot -> masked: head of its block -> owner: this heap
///
///     attended     one container's or one thread's, which takes from it without asking anyone;
///                  what others free is queued until that one looks for more
///     unattended   whoever comes locks it: of a container_pool, of a thread that has ended
///     orphan       the same, of a container that has ended; its last slot ends it
///
/// In the child of a fork all is as it was, but for what the other threads were amid: what they
/// attended can be freed there as ever, and is not used again.
///
/// Threads:   try_allocate and deallocate by the one that attends it; the rest from any.
/// Failure:   nullptr; nothing changes.
class container_heap {
public:
    /// Blocks lie at multiples of this, on every upstream.
    static constexpr std::size_t mask_bytes = 256_KiB;

    enum class state : unsigned char { attended, unattended, orphan };

    /// nullptr where there is no memory. `nursery`: the one it is part of, or nullptr. `expected`:
    /// slots to get memory for at the first request.
    [[nodiscard]] static container_heap* make(std::size_t kind, state s, std::size_t expected,
                                              return_policy policy, upstream up,
                                              container_nursery* nursery) noexcept;
    void end() noexcept;

    container_heap(const container_heap&) = delete;
    container_heap& operator=(const container_heap&) = delete;

    /// True if p, in a slot of some heap, is one of this heap.
    [[nodiscard]] ARENITE_INLINE bool holds(const void* p) const noexcept {
        return head_of(p).owner == &pool_;
    }

    /// A slot, of the kind that this heap is for.
    [[nodiscard]] ARENITE_INLINE void* try_allocate(std::size_t kind) noexcept {
        void* const p = pool_.try_take_ready(kind * 8);
        if (p != nullptr) [[likely]]
            return p;
        return allocate_slow();
    }

    /// False, and nothing is done: p is of another heap.
    [[nodiscard]] ARENITE_INLINE bool try_deallocate(void* p, std::size_t kind) noexcept {
        if (pool_.try_rejoin(p, kind * 8)) // then it is ours: no need to look at its block
            return true;
        if (head_of(p).owner != &pool_) [[unlikely]]
            return false;
        pool_.deallocate_apart(p);
        return true;
    }

    ARENITE_INLINE void deallocate(void* p) noexcept { pool_.deallocate(p); }

    /// The heap of any slot.
    [[nodiscard]] ARENITE_INLINE static container_heap& of(const void* p) noexcept {
        return *static_cast<container_heap*>(head_of(p).owner); // its pool is its first member
    }

    [[nodiscard]] ARENITE_INLINE const container_nursery* nursery() const noexcept {
        return nursery_;
    }

    /// Under the lock, where nobody attends it.
    [[nodiscard]] void* try_allocate_locked() noexcept;

    /// From a thread or a container that does not attend it.
    void deallocate_foreign(void* p) noexcept;

    /// Its container ends: with it the heap, or with the last slot.
    void abandon() noexcept;

    /// Its thread ends, or another one takes over.
    void set_attended(bool attended) noexcept;

    void trim() noexcept;
    [[nodiscard]] arenite::usage usage() const noexcept;
    void list_regions(region_sink& sink) const;

private:
    struct link {
        link* next;
    };

    container_heap(std::size_t kind, state s, std::size_t expected, return_policy policy,
                   upstream up, container_nursery* nursery) noexcept;
    ~container_heap() = default;

    [[nodiscard]] ARENITE_INLINE static const block& head_of(const void* p) noexcept {
        return *reinterpret_cast<const block*>(align_down(address_of(p), mask_bytes));
    }

    ARENITE_NOINLINE void* allocate_slow() noexcept;
    void take_back(link* first) noexcept;

    pool_resource pool_;
    std::atomic<link*> returned_{nullptr}; // written under the lock
    container_nursery* const nursery_;
    mutable fork_lock<spin_lock> lock_;
    state state_;
    std::size_t orphaned_ = 0; // slots of an orphan
    std::size_t trim_at_ = 0;
};

/// Arrays of containers: what is no slot. Each has its heap's name in front of it.
///
/// Threads:   any.
/// Failure:   nullptr; nothing changes.
class container_arrays {
public:
    container_arrays(const ordered_options& options, upstream up) noexcept : heap_{options, up} {}

    [[nodiscard]] void* try_allocate(std::size_t bytes, std::size_t alignment) noexcept;

    /// Any array, whichever heap it is of.
    static void deallocate(void* p, std::size_t bytes, std::size_t alignment) noexcept;

    void trim() noexcept;
    [[nodiscard]] arenite::usage usage() const noexcept;
    void list_regions(region_sink& sink) const;

    /// Those of all containers without a container_pool. Never destroyed.
    [[nodiscard]] static container_arrays& of_process() noexcept;

private:
    struct prefix;

    mutable fork_lock<std::mutex> mutex_;
    ordered_heap heap_;
    std::size_t live_ = 0;
};

/// What the containers of one thread share until they have earned a heap of their own: a heap for
/// each size of slots. It outlives its thread, and goes to the next one that needs one.
class container_nursery {
public:
    [[nodiscard]] ARENITE_INLINE static container_nursery* of_this_thread() noexcept {
        return current;
    }

    /// nullptr: none yet of this kind.
    [[nodiscard]] ARENITE_INLINE container_heap* heap(std::size_t kind) noexcept {
        return heaps_[kind];
    }

    /// A slot where there is no heap yet, or no nursery, or the thread is at its end.
    [[nodiscard]] static void* try_allocate_slow(std::size_t kind) noexcept;

private:
    struct shared;

    [[nodiscard]] static container_nursery* take() noexcept;
    [[nodiscard]] container_heap* make_heap(std::size_t kind, container_heap::state s) noexcept;
    void attend(bool attended) noexcept;
    static void leave() noexcept;

    static constinit thread_local container_nursery* current;

    container_heap* heaps_[container_slot_kinds] = {};
    container_nursery* next_ = nullptr;
};

/// Where a container's memory comes from; all that an allocator holds.
///
///     own heap      a pointer
///     container_pool's  a pointer, marked
///     neither yet   how many slots of the thread's nursery it uses, marked
///
/// A copy has the container_pool of its origin and nothing else; what is moved from has nothing of
/// its own any more.
/// Threads:   one at a time.
class container_source {
public:
    constexpr container_source() noexcept = default;
    explicit container_source(container_pool& pool) noexcept
        : word_{address_of(&pool) | pooled_mark} {}

    container_source(const container_source& other) noexcept : word_{other.shared_word()} {}
    container_source(container_source&& other) noexcept
        : word_{std::exchange(other.word_, other.shared_word())} {}
    container_source& operator=(const container_source& other) noexcept {
        if (this != &other)
            replace(other.shared_word());
        return *this;
    }
    container_source& operator=(container_source&& other) noexcept {
        if (this != &other)
            replace(std::exchange(other.word_, other.shared_word()));
        return *this;
    }
    ~container_source() {
        if (is_own())
            own().abandon();
    }

    /// A slot for one object. `expected`: how many there will be; 0: not known.
    template <std::size_t Bytes, std::size_t Expected>
    [[nodiscard]] ARENITE_INLINE void* try_allocate_slot() noexcept {
        constexpr std::size_t kind = container_slot_kind(Bytes);
        if (is_own()) [[likely]]
            return own().try_allocate(kind);
        constexpr std::uintptr_t enough = 1 + counted * nursery_slots(kind, Expected);
        if ((word_ & counting_mark) != 0 && word_ < enough) {
            container_nursery* const nursery = container_nursery::of_this_thread();
            container_heap* const heap = nursery != nullptr ? nursery->heap(kind) : nullptr;
            void* const p = heap != nullptr ? heap->try_allocate(kind) : nullptr;
            if (p != nullptr) [[likely]] {
                word_ += counted;
                return p;
            }
        }
        return allocate_slot_slow(kind, enough, Expected);
    }

    template <std::size_t Bytes>
    ARENITE_INLINE void deallocate_slot(void* p) noexcept {
        if (is_own()) {
            if (own().try_deallocate(p, container_slot_kind(Bytes))) [[likely]]
                return;
        } else if (word_ >= counting_mark + counted && (word_ & counting_mark) != 0) {
            word_ -= counted;
        }
        release_slot(p, Bytes);
    }

    /// Several objects, or one that is no slot.
    [[nodiscard]] void* try_allocate_array(std::size_t bytes, std::size_t alignment) noexcept;
    static void deallocate_array(void* p, std::size_t bytes, std::size_t alignment) noexcept;

    /// The pool that it was made from, or nullptr.
    [[nodiscard]] container_pool* pool() const noexcept {
        return (word_ & marks) == pooled_mark
                   ? reinterpret_cast<container_pool*>(word_ - pooled_mark)
                   : nullptr;
    }

private:
    static constexpr std::uintptr_t counting_mark = 1;
    static constexpr std::uintptr_t pooled_mark = 2;
    static constexpr std::uintptr_t marks = 3;
    static constexpr std::uintptr_t counted = 4;

    // A container has earned its heap when this much of it is in use, as much as the heap's first
    // memory: beside it the heap is small, and so is what it costs to get and give back.
    static constexpr std::size_t earned_bytes = 64_KiB;
    static constexpr std::size_t expected_bytes = 4_KiB;

    /// Slots that a container has from the nursery at most. The first comes from there even where
    /// many are expected: an allocator for one object, as allocate_shared makes it, needs no heap.
    [[nodiscard]] static constexpr std::size_t nursery_slots(std::size_t kind,
                                                             std::size_t expected) noexcept {
        return expected >= expected_bytes / (kind * 8) && expected != 0 ? 1
                                                                        : earned_bytes / (kind * 8);
    }

    [[nodiscard]] ARENITE_INLINE bool is_own() const noexcept { return (word_ & marks) == 0; }
    [[nodiscard]] ARENITE_INLINE container_heap& own() const noexcept {
        return *reinterpret_cast<container_heap*>(word_);
    }
    [[nodiscard]] std::uintptr_t shared_word() const noexcept {
        return (word_ & marks) == pooled_mark ? word_ : counting_mark;
    }
    void replace(std::uintptr_t word) noexcept {
        const container_source ended{std::exchange(word_, word), 0};
    }
    container_source(std::uintptr_t word, int) noexcept : word_{word} {}

    ARENITE_INLINE static void release_slot(void* p, std::size_t bytes) noexcept {
        const container_nursery* const nursery = container_nursery::of_this_thread();
        if (nursery != nullptr) [[likely]] {
            container_heap& heap = container_heap::of(p);
            if (heap.nursery() == nursery)
                return heap.deallocate(p);
        }
        release_slot_slow(p, bytes);
    }

    ARENITE_NOINLINE void* allocate_slot_slow(std::size_t kind, std::uintptr_t enough,
                                              std::size_t expected) noexcept;
    ARENITE_NOINLINE static void release_slot_slow(void* p, std::size_t bytes) noexcept;

    std::uintptr_t word_ = counting_mark;
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
