// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/affinity/detail/remote_frees.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/usage.hpp>

#include <atomic>
#include <cstddef>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

class slab_heap;
struct heap_owner;

/// The objects of one thread's heap that other threads have freed, until its thread drains them.
///
///     free      bit of the slot, in the remote_frees of its block
///               the block, if it is in no list: queued_blocks, by the thread that set the bit
///     drain     the oldest blocks: their bits become the heap's own; or forward, of a block that
///               is another heap's by now
///
/// Without memory for bits objects hang on each other, by their first word.
///
/// It is never destroyed: a thread that freed the last object of a heap may still be about to push
/// the block, when the heap has ended and another one stands in its place. That one, which may be
/// used under a lock and get no such frees itself, forwards it. See doc/affinity_threads.md.
///
/// Cost:      free is two atomic operations, four without a heap of the caller's own, which is
///            worth one then: see wants_a_heap_to_count_in().
/// Threads:   free and usage() by any; the others by the heap's, one at a time.
/// Misuse:    a second free is found by its bit, by whichever thread comes second.
class remote_queue {
public:
    remote_queue() noexcept = default;
    remote_queue(const remote_queue&) = delete;
    remote_queue& operator=(const remote_queue&) = delete;

    /// Serves this heap from now on; null: one that is used under a lock, and gets nothing.
    void serve(const heap_owner& owner, slab_heap* heap) noexcept {
        owner_ = &owner;
        heap_ = heap;
    }

    /// Frees an object of its heap. `own` is the calling thread's heap of this affinity, which
    /// counts it, or null.
    void free(void* p, std::size_t bytes, std::size_t alignment, slab_heap* own) noexcept;

    /// Before a free by a thread without a heap of this affinity: true once in so many of them, if
    /// that one is counted here. So a thread that frees many objects gets a heap, about when two
    /// more atomic operations for each have cost as much as making one; it takes 10 KiB. One that
    /// frees a few is unlikely to.
    static constexpr std::size_t frees_without_heap = 1024;
    [[nodiscard]] bool wants_a_heap_to_count_in() const noexcept {
        return uncounted_objects_.load(std::memory_order_relaxed) % frees_without_heap ==
               frees_without_heap - 1;
    }

    [[nodiscard]] bool is_empty() const noexcept {
        return blocks_.is_empty() && unmarked_.load(std::memory_order_relaxed) == nullptr;
    }

    /// Frees in its heap what was freed here, of so many blocks at most, until so many words of
    /// bits held something: 200 to 500 instructions each. Returns the words; 0: no memory is free
    /// that was not.
    std::size_t drain(std::size_t most_blocks, std::size_t most_words = all_blocks) noexcept;
    static constexpr std::size_t all_blocks = ~std::size_t{0};

    /// Drains all, also blocks that hang in the list of an earlier heap of their addresses, which
    /// forwards them when it drains: looks at each block of the heap.
    void drain_all() noexcept;

    /// Drains, and leaves no bit for the next heap at the addresses of its blocks.
    void drain_and_forget() noexcept;
    /// Where its heap is used under a lock: forwards what is here for earlier heaps.
    void forward_all() noexcept;

    /// Returns the memory of whole pages of freed slots to the system, and tells its bytes; the
    /// bits stay, and with them what a second free is found by. The heap's gate must be held.
    std::size_t purge() noexcept;

    /// The heap's figures without what was freed here and counted by no heap.
    [[nodiscard]] arenite::usage deducted(arenite::usage of_heap) const noexcept;
    /// No such object is left: its heap ends, or begins anew.
    void forget_counts() noexcept;

    /// In a forked child: empties the list of blocks. A thread that is not there may have been
    /// about to enter one, which would wait for it for ever.
    void forget_queued_blocks() noexcept;
    /// Then, when all queues have done so: enters those of its heap's blocks that have bits.
    void queue_marked_blocks() noexcept;

private:
    template <class F>
    void for_each_block(F f) noexcept;
    void count(std::size_t objects, std::size_t bytes) noexcept {
        uncounted_objects_.fetch_add(objects, std::memory_order_relaxed);
        uncounted_bytes_.fetch_add(bytes, std::memory_order_relaxed);
    }
    void free_elsewhere(void* p, std::size_t bytes, std::size_t alignment, slab_heap* own) noexcept;
    [[nodiscard]] bool free_slot(const slab& s, std::size_t index, std::size_t room,
                                 remote_frees& marks, slab_heap* own) noexcept;
    void push_unmarked(void* p, std::size_t room) noexcept;
    void drain_unmarked() noexcept;
    std::size_t drain_block(remote_frees& r) noexcept;
    void forward(remote_frees& r) noexcept;

    // Read by threads that free.
    const heap_owner* owner_ = nullptr;
    slab_heap* heap_ = nullptr;

    // Written by them.
    alignas(64) queued_blocks blocks_;
    std::atomic<void*> unmarked_{nullptr};          ///< objects for which there was no remote_frees
    std::atomic<std::size_t> uncounted_objects_{0}; ///< freed by threads without a heap, or
    std::atomic<std::size_t> uncounted_bytes_{0};   ///< without memory for bits
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
