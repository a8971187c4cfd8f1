// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/affinity/affinity.hpp>
#include <arenite/affinity/detail/affinity_pages.hpp>
#include <arenite/affinity/detail/remote_queue.hpp>
#include <arenite/affinity/detail/thread_heap_front.hpp>
#include <arenite/affinity/detail/thread_table.hpp>
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

class locked_heap;
class thread_heap_list;
class thread_heap_places;
class thread_heap_room;

/// The resource within a thread heap.
enum class thread_heap_kind : unsigned char {
    ordered,   ///< slab_heap
    large,     ///< slab_heap for what is larger than 63 KiB, shared by all threads
    intrusive, ///< intrusive_resource
    slots,     ///< slots_resource
};

/// One thread's heap of an affinity, its lock, and what other threads free of it.
///
///     block       | head: owner ---+ | objects ...
///                                  |
///     slab_heap   | classes | slabs | owner |     in pages of its own
///                                       |
///     thread_heap | thread | lock | remote_queue |
///
/// When its thread ends it is abandoned, with all that lives in it, until another thread adopts it;
/// one that holds nothing may be retired, and serve any affinity later. Thread heaps are never
/// freed, since other threads may be about to notify them; the pages in which a retired one's
/// resource lay go back to the system by thread_heap_places::trim(), or at once where many wait.
///
/// The slab_heap of an unlocked one is touched by its thread alone: objects that others free go
/// into the remote_queue, which the thread drains before the heap grows. The lock is held while
/// slabs and blocks change, so that others may look at them; objects in units that are kept come
/// and go without it (kept_runs), as slots do. A locked one (large objects, checked builds, the
/// strategies `intrusive` and `slots`) is used by any thread under the lock, as a locked_heap.
///
/// Threads:   an unlocked one by its thread only, remote frees by any; a locked one by any, under
///            its lock.
class thread_heap : public thread_heap_front {
public:
    /// `storage` is room for the resource; see thread_heap_places.
    explicit thread_heap(void* storage) noexcept { storage_ = storage; }

    /// One that no thread has yet, retired before or new; nullptr where there is no memory. `owner`
    /// says whom the heap works for, and whose callback sees to foreign objects.
    [[nodiscard]] static thread_heap* make(thread_heap_list& home, const heap_owner& owner,
                                           unsigned affinity, const affinity_options& options,
                                           thread_heap_kind kind) noexcept;

    /// Ends one that holds nothing and is in no list any more.
    static void retire(thread_heap& heap) noexcept;

    /// The one that `heap` is part of.
    [[nodiscard]] static thread_heap& of(slab_heap& heap) noexcept {
        return *static_cast<thread_heap*>(heap.owner().holder);
    }

    /// The heap whose memory p points into, handed out or not; nullptr where there is none. Looks
    /// at nothing that lies there.
    [[nodiscard]] ARENITE_INLINE static thread_heap* around(const void* p) noexcept {
        return static_cast<thread_heap*>(thread_heap_front::around(p));
    }

    /// In a forked child: no thread has it, if not this one.
    void abandon_after_fork(const void* me) noexcept;

    /// The heaps of its affinity.
    [[nodiscard]] thread_heap_list& home() const noexcept { return *home_; }

    [[nodiscard]] thread_heap_kind kind() const noexcept { return kind_; }
    [[nodiscard]] bool is_locked() const noexcept { return locked_; }
    /// True if another thread than this one has it for itself: no locked one.
    [[nodiscard]] bool is_anothers() const noexcept {
        return !locked_ && !is_abandoned() && !is_mine(thread_table::thread());
    }
    /// For messages: "affinity nodes".
    [[nodiscard]] const char* title() const noexcept { return owner_.affinity; }
    [[nodiscard]] fork_lock<std::mutex>& lock() noexcept { return lock_; }

    /// Its resource, of the kinds `ordered` and `large`.
    [[nodiscard]] slab_heap& heap() const noexcept {
        return *std::launder(static_cast<slab_heap*>(storage_));
    }

    // ---- of an unlocked one, by its thread

    void deallocate(void* p, std::size_t bytes, std::size_t alignment) noexcept;
    /// deallocate; true if it was the last object of its size.
    [[nodiscard]] bool deallocate_and_look(void* p, std::size_t bytes,
                                           std::size_t alignment) noexcept;
    void trim() noexcept;
    /// Does as others asked: has blocks of this size from now on, and trims.
    void catch_up(std::size_t block_bytes) noexcept;
    /// True if nothing is pending from other threads and its thread has no other heap: only the
    /// system can give more.
    [[nodiscard]] bool has_no_pending_work(std::size_t block_bytes) const noexcept {
        return remote_.is_empty() && !asked_.load(std::memory_order_relaxed) &&
               next_of_thread == nullptr && block_bytes == options_.block_bytes;
    }
    /// Sees to some of what others freed, or some whole pages of free objects go back, where it is
    /// time: true; then more may follow. Of a locked one none.
    [[nodiscard]] bool give_back_idle(std::uint64_t now_ms, who_asks who) noexcept;
    [[nodiscard]] arenite::usage usage() noexcept { return remote_.deducted(heap().usage()); }
    void list_regions(region_sink& sink);

    // ---- of the one for large objects, by any thread

    /// Free memory between them goes back, where it is idle; true where there may be more. Nothing
    /// while another thread has the lock, which it may hold for long.
    [[nodiscard]] bool give_back_idle_large() noexcept;

    // ---- of any, by its thread; a locked one is locked meanwhile

    /// Ends the resource with all that is in it, and begins it anew.
    void reset() noexcept;
    /// True if the object at p, which was handed out just now, is known to hold zeros.
    [[nodiscard]] bool is_zero(const void* p) noexcept;
    /// True if no memory is held.
    [[nodiscard]] bool holds_nothing() noexcept;
    /// Gives all memory back, if nothing lives in it: true, and then it holds_nothing().
    [[nodiscard]] bool trim_if_empty() noexcept;

    // ---- of an unlocked one, by any thread

    /// The objects that other threads free.
    [[nodiscard]] remote_queue& remote() noexcept { return remote_; }
    /// Room at p, a living object. What is none is misuse.
    [[nodiscard]] std::size_t size_of(const void* p) const noexcept;
    /// Gives back what can be without its thread, and asks that to trim at its next slow call:
    /// spans that are empty, and the memory of whole pages of what other threads freed, which is
    /// its thread's to hand out when it drains. Tells the bytes of such pages.
    std::size_t trim_from_afar() noexcept;
    [[nodiscard]] arenite::usage usage_approximate() const noexcept {
        return remote_.deducted(heap().usage_approximate());
    }
    /// The most bytes in use that were noted. Of any one; locks a locked one.
    [[nodiscard]] std::size_t high_water_noted() noexcept;

    thread_heap* next_of_thread = nullptr; ///< of one thread and affinity; used by that thread
    thread_heap* next_of_affinity = nullptr;

private:
    friend class locked_heap;        // the calls of one that is locked
    friend class thread_heap_places; // where retired ones wait

    [[nodiscard]] thread_heap_room room() const noexcept;
    void construct_resource() noexcept;

    // Read by threads that free.
    thread_heap_list* home_ = nullptr;
    heap_owner owner_{};
    affinity_options options_; ///< its name lies in the affinity_heap
    affinity_pages pages_;
    thread_heap_kind kind_ = thread_heap_kind::ordered;
    bool locked_ = false;
    std::atomic<bool> asked_{false}; ///< to trim
    idle_pages idle_;                ///< of an unlocked one
    std::size_t drains_ = 0;         ///< in a row, before idle_ looks

    fork_lock<std::mutex> lock_{outermost};

    remote_queue remote_;
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
