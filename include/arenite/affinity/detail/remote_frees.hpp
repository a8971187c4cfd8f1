// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/block/detail/address_table.hpp>
#include <arenite/block/detail/block.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/detail/bits.hpp>
#include <arenite/ordered/detail/slab_geometry.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

class remote_queue;

/// The objects of a block that other threads than its own freed: its bits of slots once more.
///
///     block      | slab_block | bits: its thread's | slots ...
///                               ^ set by its thread, later      (or in its pages)
///     apart      | where, next, queued | the same bits: freed by others |
///
/// Made on the first such free, and then kept for this address, whichever heap has a block there
/// later. A block with fresh bits hangs once in the list of its heap; a thread that sets a bit that
/// is set already frees twice.
///
/// Cost:      a free is one atomic operation.
/// Overhead:  2 KiB for each block of 256 KiB of which something was freed by another thread.
/// Threads:   any.
class alignas(64) remote_frees {
public:
    static constexpr std::size_t mask_bytes = page_block_bytes;
    static constexpr std::size_t words = slab_block::most_units;

    /// The head that stands for an allocation of an affinity. Blocks and large objects of all
    /// heaps have theirs there.
    [[nodiscard]] static block& head_of(const void* p) noexcept {
        return head_of_object(p, mask_bytes);
    }

    /// The remote_frees of the block at this address, made where not yet there; nullptr where there
    /// is no memory for it.
    [[nodiscard]] ARENITE_INLINE static remote_frees* of(block& b) noexcept {
        remote_frees* const found = find(b);
        return found != nullptr ? found : make(b);
    }
    /// nullptr where it does not exist yet.
    [[nodiscard]] ARENITE_INLINE static remote_frees* find(const block& b) noexcept {
        return reinterpret_cast<remote_frees*>(table.find(&b));
    }

    /// Sets the bit of a slot; false if it was set already.
    [[nodiscard]] bool mark(std::size_t word, bits::word slot) noexcept {
        // In one order with `queued`: who sees the block queued knows that this bit will be seen.
        return (freed[word].fetch_or(slot, std::memory_order_seq_cst) & slot) == 0;
    }

    /// True if a bit is set.
    [[nodiscard]] bool has_any() const noexcept {
        for (const auto& word : freed)
            if (word.load(std::memory_order_seq_cst) != 0)
                return true;
        return false;
    }

    block* where = nullptr;                   ///< the block, or what is there now
    remote_frees* next = nullptr;             ///< in the list of a heap
    std::atomic<remote_queue*> heap{nullptr}; ///< to notify, as the latest free saw it
    std::atomic<bool> queued{false};          ///< is in the list of a heap, or about to be
    std::atomic<bits::word> freed[words] = {};

    static constinit address_table table; ///< of all blocks

private:
    [[nodiscard]] static remote_frees* make(block& b) noexcept;
};

/// Blocks in which other threads freed something, until the thread that owns them sees to it.
///
///     pushed    newest -> ... -> oldest      by any thread
///     taken     oldest -> ... -> newest      by the owner; all older than those pushed
///
/// Taken in the order in which they were pushed, each has its turn: were the newest taken first,
/// those that are freed into all the time would keep the others waiting for ever. A block that is
/// taken is in no list any more when it is looked at; one that is left stays.
///
/// Cost:      push is one atomic operation where threads do not meet, take O(1) a block.
/// Threads:   push by any, the others by one at a time.
class queued_blocks {
public:
    /// Enters a block whose `queued` the caller has just set.
    void push(remote_frees& r) noexcept {
        remote_frees* head = pushed_.load(std::memory_order_relaxed);
        do
            r.next = head;
        while (!pushed_.compare_exchange_weak(head, &r, std::memory_order_seq_cst,
                                              std::memory_order_relaxed));
    }

    [[nodiscard]] bool is_empty() const noexcept {
        return taken_ == nullptr && pushed_.load(std::memory_order_relaxed) == nullptr;
    }

    /// Calls f(block) for so many at most, the oldest first, until it returns false; for none that
    /// is pushed meanwhile.
    template <class F>
    void take(std::size_t most, F f) noexcept {
        for (; taken_ != nullptr && most != 0; --most)
            if (!f(pop()))
                return;
        if (taken_ != nullptr || most == 0 || pushed_.load(std::memory_order_relaxed) == nullptr)
            return;
        remote_frees* newest = pushed_.exchange(nullptr, std::memory_order_seq_cst);
        remote_frees* oldest = nullptr;
        while (newest != nullptr) {
            remote_frees* const next = newest->next;
            newest->next = oldest;
            oldest = newest;
            newest = next;
        }
        for (taken_ = oldest; taken_ != nullptr && most != 0; --most)
            if (!f(pop()))
                return;
    }

    /// Calls f(block) for each; then none is there, but `queued` is as it was.
    template <class F>
    void clear(F f) noexcept {
        for (remote_frees* r = pushed_.exchange(nullptr, std::memory_order_relaxed); r != nullptr;
             r = r->next)
            f(*r);
        for (; taken_ != nullptr; taken_ = taken_->next)
            f(*taken_);
    }

private:
    [[nodiscard]] remote_frees& pop() noexcept {
        remote_frees& r = *taken_;
        taken_ = r.next;
        r.queued.exchange(false, std::memory_order_seq_cst);
        return r;
    }

    std::atomic<remote_frees*> pushed_{nullptr};
    remote_frees* taken_ = nullptr;
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
