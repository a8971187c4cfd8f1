// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/affinity/affinity.hpp>
#include <arenite/affinity/detail/affinity_pages.hpp>
#include <arenite/affinity/detail/remote_queue.hpp>
#include <arenite/affinity/detail/share_front.hpp>
#include <arenite/affinity/detail/thread_heaps.hpp>
#include <arenite/block/detail/block.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/usage.hpp>
#include <arenite/ordered/detail/idle_pages.hpp>
#include <arenite/ordered/detail/slab_heap.hpp>
#include <arenite/os/detail/fork_lock.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <new>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

class affinity_shares;

/// The type of a share's heap.
enum class share_kind : unsigned char {
    ordered,   ///< slab_heap
    large,     ///< slab_heap for what is larger than 63 KiB, shared by all threads
    intrusive, ///< intrusive_resource
    slots,     ///< slots_resource
};

/// One thread's heap of an affinity, and what other threads have to do with it.
///
///     block     | head: owner ---+ | objects ...
///                                |
///     heap      | classes | slabs | owner |     in pages of its own
///                                     |
///     share     | thread | lock | remote_queue |
///
/// When its thread ends a share is abandoned, with all that lives in it, until another thread
/// adopts it; one that holds nothing may be retired, and serve any affinity later. Shares are never
/// freed, since other threads may be about to notify them; the pages of a retired one's heap go
/// back to the system by trim_retired(), or at once where many wait.
///
/// An unlocked share's heap is touched by its thread alone: what others free of it goes into
/// its remote_queue, which the thread drains before its heap grows. Its lock is held while its
/// slabs and blocks change, so that others may look at them.
/// The heap of a locked share (large objects, checked builds, the strategies `intrusive` and
/// `slots`) is used by any thread under the lock.
///
/// Threads:   an unlocked share's heap by its thread only, remote frees by any; a locked share by
///            any, under its lock.
class affinity_share : public share_front {
public:
    affinity_share() noexcept = default;

    /// One that no thread has yet, retired before or new; nullptr where there is no memory. `owner`
    /// says whom the heap works for, and whose callback sees to foreign objects.
    [[nodiscard]] static affinity_share* make(affinity_shares& home, const heap_owner& owner,
                                              unsigned affinity, const affinity_options& options,
                                              share_kind kind) noexcept;

    /// Ends the heap of a share that holds nothing and is among no others any more.
    static void retire(affinity_share& share) noexcept;

    /// Returns the memory of retired shares' heaps to the system.
    static void trim_retired() noexcept;

    /// The share that `heap` belongs to.
    [[nodiscard]] static affinity_share& of(slab_heap& heap) noexcept;

    /// The share whose memory p points into, handed out or not; nullptr where there is none. Looks
    /// at nothing that lies there.
    [[nodiscard]] ARENITE_INLINE static affinity_share* around(const void* p) noexcept {
        return static_cast<affinity_share*>(share_front::around(p));
    }

    /// In a forked child: no thread has it, if not this one.
    void abandon_after_fork(const void* me) noexcept {
        if (is_mine(me))
            return;
        abandon();
        if (kind_ == share_kind::ordered || kind_ == share_kind::large)
            heap().slabs().blocks().may_grow(true);
    }

    /// The shares of its affinity.
    [[nodiscard]] affinity_shares& home() const noexcept { return *home_; }

    [[nodiscard]] share_kind kind() const noexcept { return kind_; }
    [[nodiscard]] bool is_locked() const noexcept { return locked_; }
    [[nodiscard]] const char* name() const noexcept { return options_.name.data(); }
    /// For messages: "affinity nodes".
    [[nodiscard]] const char* title() const noexcept { return owner_.affinity; }
    [[nodiscard]] fork_lock<std::mutex>& lock() noexcept { return lock_; }

    // ---- by its thread, or under the lock
    [[nodiscard]] void* try_allocate(std::size_t bytes, std::size_t alignment) noexcept;
    [[nodiscard]] void* try_allocate_near(const void* neighbour, std::size_t bytes,
                                          std::size_t alignment) noexcept;
    void deallocate(void* p, std::size_t bytes, std::size_t alignment) noexcept;
    void deallocate(void* p) noexcept;
    /// deallocate in an unlocked share; true if it was the last object of its size.
    [[nodiscard]] bool deallocate_and_look(void* p, std::size_t bytes,
                                           std::size_t alignment) noexcept;
    [[nodiscard]] bool try_resize(void* p, std::size_t old_bytes, std::size_t new_bytes,
                                  std::size_t alignment) noexcept;
    [[nodiscard]] std::size_t size_of(const void* p) noexcept;
    void trim() noexcept;
    /// Some whole pages of free objects go back, where it is time; true while there are more.
    [[nodiscard]] bool give_back_idle(std::uint64_t now_ms) noexcept {
        if (locked_)
            return false;
        idle_.look(heap(), now_ms);
        return idle_.is_returning();
    }
    void set_block_bytes(std::size_t bytes) noexcept;
    [[nodiscard]] arenite::usage usage() noexcept;
    void list_regions(region_sink& sink) noexcept;
    /// Ends the heap with all that is in it, and begins it anew.
    void reset() noexcept;

    /// True if no memory is held. Locks a locked share.
    [[nodiscard]] bool holds_nothing() noexcept;
    /// Gives all memory back, if nothing lives in it: true, and then it holds_nothing().
    [[nodiscard]] bool trim_if_empty() noexcept;
    /// Its part of usage() though it holds nothing: objects of others that its thread freed.
    [[nodiscard]] arenite::usage balance() const noexcept {
        return kind_ == share_kind::ordered && !locked_ ? usage_approximate() : arenite::usage{};
    }

    /// True if nothing is pending from other threads and its thread has no other share: only the
    /// system can give more.
    [[nodiscard]] bool has_no_pending_work(std::size_t block_bytes) const noexcept {
        return remote_.is_empty() && !asked_.load(std::memory_order_relaxed) &&
               next_of_thread == nullptr && block_bytes == options_.block_bytes;
    }

    [[nodiscard]] bool trim_is_asked() const noexcept {
        return asked_.load(std::memory_order_relaxed);
    }

    // ---- by any thread

    /// The objects of an unlocked share's heap that other threads free.
    [[nodiscard]] remote_queue& remote() noexcept { return remote_; }
    /// Gives back what can be without its thread: spans that are empty, and the memory of whole
    /// pages of what other threads freed, which is its thread's to hand out when it drains. Tells
    /// the bytes of such pages.
    std::size_t trim_from_afar() noexcept;
    /// Its thread trims it at its next slow call.
    void ask_to_trim() noexcept { asked_.store(true, std::memory_order_relaxed); }
    [[nodiscard]] arenite::usage usage_approximate() const noexcept {
        return remote_.deducted(heap().usage_approximate());
    }
    /// The most bytes in use that its heap has noted. Locks a locked share.
    [[nodiscard]] std::size_t high_water_noted() noexcept;

    [[nodiscard]] slab_heap& heap() noexcept {
        return *std::launder(static_cast<slab_heap*>(storage_));
    }
    [[nodiscard]] const slab_heap& heap() const noexcept {
        return *std::launder(static_cast<const slab_heap*>(storage_));
    }

    affinity_share* next_of_thread = nullptr; ///< of one thread and affinity; used by that thread
    affinity_share* next_of_affinity = nullptr;

private:
    [[nodiscard]] static affinity_share* take_place() noexcept;
    void begin(affinity_shares& home, const heap_owner& owner, unsigned affinity,
               const affinity_options& options, share_kind kind) noexcept;
    void construct_heap() noexcept;
    void destroy_heap() noexcept;

    template <class F>
    decltype(auto) with_resource(F f) noexcept;

    // Read by threads that free.
    affinity_shares* home_ = nullptr;
    heap_owner owner_{};
    affinity_options options_; ///< its name lies in the affinity_heap
    affinity_pages pages_;
    share_kind kind_ = share_kind::ordered;
    bool locked_ = false;
    std::atomic<bool> asked_{false}; ///< to trim
    idle_pages idle_;                ///< of an unlocked one

    fork_lock<std::mutex> lock_{outermost};

    remote_queue remote_;
};

inline affinity_share& affinity_share::of(slab_heap& heap) noexcept {
    return *static_cast<affinity_share*>(heap.owner().share);
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
