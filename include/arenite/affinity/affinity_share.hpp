// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/affinity/affinity.hpp>
#include <arenite/affinity/intrusive_resource.hpp>
#include <arenite/affinity/remote_frees.hpp>
#include <arenite/affinity/slots_resource.hpp>
#include <arenite/block/block.hpp>
#include <arenite/check/poison.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/spin_lock.hpp>
#include <arenite/core/usage.hpp>
#include <arenite/ordered/ordered_heap.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <new>

namespace arenite {
inline namespace ARENITE_ABI {

class affinity_heap;

namespace detail {

/// What a share's heap is.
enum class share_kind : unsigned char {
    ordered,   ///< ordered_heap, sizes known
    kept,      ///< ordered_heap, sizes kept
    large,     ///< ordered_heap for what is larger than an eighth of a block, shared by all threads
    intrusive, ///< intrusive_resource
    slots,     ///< slots_resource
};

/// In these builds every heap keeps sizes, so that a free by another thread needs the lock.
inline constexpr bool shares_are_locked = checks_enabled || poison::active;

/// Where the heap of a share lies: at its begin.
struct share_place {
    alignas(64) std::byte place_[std::max({sizeof(ordered_heap), sizeof(intrusive_resource),
                                           sizeof(slots_resource)})];
};

/// One thread's heap of an affinity, and what other threads have to do with it.
///
///     block     | head: owner ---+ | objects ...
///                                |
///     share     | thread | lock | remote frees | heap |
///
/// A share lives as long as the program; when its thread ends it is nobody's, with all that lives
/// in it, until another thread takes it. The heap of a share that is not locked is touched by its
/// thread alone: what others free of it goes into the bits of remote_frees, which the thread folds
/// into its own when enough has come together. The heap of a locked one (sizes kept, checked
/// builds, the two strategies of old) is used by any thread under the lock.
///
/// Threads:   as said.
class affinity_share : private share_place {
public:
    affinity_share(affinity_heap& heap, unsigned affinity, const affinity_options& options,
                   share_kind kind) noexcept;

    affinity_share(const affinity_share&) = delete;
    affinity_share& operator=(const affinity_share&) = delete;

    /// A new one for the calling thread, or nullptr: there are 4096 at most.
    [[nodiscard]] static affinity_share* make(affinity_heap& heap, unsigned affinity,
                                              const affinity_options& options,
                                              share_kind kind) noexcept;

    /// The share that this is the heap of.
    [[nodiscard]] static affinity_share& of(ordered_heap& heap) noexcept;

    /// The share with this heap; nullptr where the address is no such heap's.
    [[nodiscard]] static affinity_share* with_heap(const void* heap) noexcept;

    /// All shares there are, in the order in which they were made.
    [[nodiscard]] static std::size_t count() noexcept;
    [[nodiscard]] static affinity_share& at(std::size_t i) noexcept;

    /// Around a fork: nobody is in possession of a lock.
    static void lock_all() noexcept;
    static void unlock_all() noexcept;

    // ---- the fast path of affinity_heap, on the thread's own heap
    [[nodiscard]] ARENITE_INLINE static void* take_open(ordered_heap& h, std::size_t bytes,
                                                        std::size_t alignment) noexcept {
        return h.take_open(bytes, alignment);
    }

    // ---- whose it is
    [[nodiscard]] bool is_mine(const void* me) const noexcept {
        return thread_.load(std::memory_order_acquire) == me;
    }
    [[nodiscard]] bool is_nobodys() const noexcept {
        return thread_.load(std::memory_order_relaxed) == nullptr;
    }
    /// False where somebody has it.
    [[nodiscard]] bool take(const void* me) noexcept {
        const void* nobody = nullptr;
        return thread_.compare_exchange_strong(nobody, me, std::memory_order_acquire,
                                               std::memory_order_relaxed);
    }
    void leave() noexcept { thread_.store(nullptr, std::memory_order_release); }
    /// In a forked child: true where no thread has it any more and it may be taken.
    [[nodiscard]] bool abandon_after_fork(const void* me) noexcept;

    [[nodiscard]] share_kind kind() const noexcept { return kind_; }
    [[nodiscard]] bool is_locked() const noexcept { return locked_; }
    [[nodiscard]] unsigned affinity() const noexcept { return affinity_; }
    [[nodiscard]] const char* name() const noexcept { return options_.name.data(); }
    [[nodiscard]] spin_lock& lock() noexcept { return lock_; }

    // ---- by its thread, or under the lock
    [[nodiscard]] void* try_allocate(std::size_t bytes, std::size_t alignment) noexcept;
    [[nodiscard]] void* try_allocate_within(std::size_t bytes, std::size_t alignment) noexcept {
        return ordered().try_allocate_within(bytes, alignment);
    }
    [[nodiscard]] void* try_allocate_near(const void* neighbour, std::size_t bytes,
                                          std::size_t alignment) noexcept;
    void deallocate(void* p, std::size_t bytes, std::size_t alignment) noexcept;
    void deallocate(void* p) noexcept;
    [[nodiscard]] std::size_t size_of(const void* p) noexcept;
    void clear_noted() noexcept;
    /// Of a thread at its end.
    void empty_magazine() noexcept {
        if (!locked_)
            ordered().unload_magazine();
    }
    /// Of a share that is not locked: one of its calls waits for this one.
    [[nodiscard]] bool is_amid_change() const noexcept { return ordered().busy_; }
    /// Drops it: the affinity ends as a whole.
    void clear_noted_for_reset() noexcept {
        if (!locked_)
            ordered().freed_ = ordered().freed_before_ = {};
    }
    void trim() noexcept;
    void set_block_bytes(std::size_t bytes) noexcept;
    [[nodiscard]] arenite::usage usage() noexcept;
    void list_regions(region_sink& sink) noexcept;
    [[nodiscard]] bool owns(const void* p) noexcept;
    /// Ends the heap with all that is in it, and begins it anew.
    void reset() noexcept;

    /// Sees to what others left to do; cheap where that is nothing.
    ARENITE_INLINE void serve_others() noexcept {
        if (remote_granules_.load(std::memory_order_relaxed) >= fold_at_ ||
            asked_.load(std::memory_order_relaxed)) [[unlikely]]
            fold();
    }
    /// True if others left nothing to do, and the next memory is to come from the system.
    [[nodiscard]] bool is_alone(std::size_t block_bytes) const noexcept {
        return remote_granules_.load(std::memory_order_relaxed) == 0 &&
               !asked_.load(std::memory_order_relaxed) && next_of_thread == nullptr &&
               block_bytes == options_.block_bytes;
    }
    [[nodiscard]] ARENITE_INLINE void* allocate_slow(std::size_t bytes,
                                                     std::size_t alignment) noexcept {
        return ordered().allocate_slow(bytes, alignment);
    }
    /// The same with what is too little for that; true if anything was freed.
    bool fold() noexcept;

    // ---- by any thread
    /// Frees an object in the block, of a share that is not locked, for its thread.
    void deallocate_remotely(block& b, void* p, std::size_t bytes, std::size_t alignment) noexcept;
    /// Its thread trims it at its next slow call.
    void ask_to_trim() noexcept { asked_.store(true, std::memory_order_relaxed); }
    [[nodiscard]] arenite::usage usage_seen_from_afar() const noexcept {
        return without_remote_frees(ordered().usage_seen_from_afar());
    }

    [[nodiscard]] ordered_heap& ordered() noexcept {
        return *std::launder(reinterpret_cast<ordered_heap*>(place_));
    }
    [[nodiscard]] const ordered_heap& ordered() const noexcept {
        return *std::launder(reinterpret_cast<const ordered_heap*>(place_));
    }

    affinity_share* next_of_thread = nullptr; ///< of one thread and affinity; the thread's
    affinity_share* next_of_affinity = nullptr;

private:
    void begin() noexcept;
    [[nodiscard]] arenite::usage without_remote_frees(arenite::usage seen) const noexcept;
    void push(remote_frees& r) noexcept;
    void push_unwritten(void* p, std::size_t granules) noexcept;
    void fold_unwritten() noexcept;
    void hand_over(remote_frees& r) noexcept;
    void set_fold_at() noexcept;

    template <class F>
    decltype(auto) with_resource(F f) noexcept {
        switch (kind_) {
        case share_kind::intrusive:
            return f(*std::launder(reinterpret_cast<intrusive_resource*>(place_)));
        case share_kind::slots:
            return f(*std::launder(reinterpret_cast<slots_resource*>(place_)));
        default:
            return f(ordered());
        }
    }

    // Read by who frees.
    std::atomic<const void*> thread_{nullptr};
    affinity_heap* heap_;
    affinity_options options_; ///< its name lies in the affinity_heap
    unsigned affinity_;
    share_kind kind_;
    bool locked_;
    std::int64_t fold_at_ = 4096; ///< granules

    // Written by who frees from afar.
    alignas(64) spin_lock lock_;
    std::atomic<bool> asked_{false};
    std::atomic<std::int64_t> remote_granules_{0}; ///< freed by others and not yet folded
    std::atomic<remote_frees*> remote_{nullptr};
    std::atomic<std::uintptr_t> unwritten_{0}; ///< objects for which there was no remote_frees
};

inline affinity_share& affinity_share::of(ordered_heap& heap) noexcept {
    return static_cast<affinity_share&>(*reinterpret_cast<share_place*>(&heap));
}

} // namespace detail

} // namespace ARENITE_ABI
} // namespace arenite
