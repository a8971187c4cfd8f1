// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/affinity/detail/thread_table.hpp>
#include <arenite/block/detail/address_table.hpp>
#include <arenite/core/config.hpp>
#include <arenite/ordered/detail/slab_front.hpp>

#include <atomic>
#include <cstddef>
#include <new>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// The part of a thread_heap that inlined frees by address alone read: which thread has it, and
/// where its heap lies.
///
///     address  ->  table  ->  thread_heap_front  ->  slab_front  ->  page, bit
///
///     new --> adopted by a thread --> abandoned, as the thread ends --> adopted by another ...
///
/// Threads are named by thread_table::thread(), `me`.
///
/// Threads:   any, while an object of the heap lives; the heap as thread_heap says.
class thread_heap_front {
public:
    thread_heap_front(const thread_heap_front&) = delete;
    thread_heap_front& operator=(const thread_heap_front&) = delete;

    /// The heap whose memory p points into; nullptr where there is none.
    [[nodiscard]] ARENITE_INLINE static thread_heap_front* around(const void* p) noexcept {
        return reinterpret_cast<thread_heap_front*>(table.find(p));
    }

    /// True if this thread has it, and it is an affinity's: objects of a shared_heap don't go the
    /// short way of those whose affinity is not known.
    [[nodiscard]] ARENITE_INLINE bool is_mine_and_an_affinitys(const void* me) const noexcept {
        return thread_.load(std::memory_order_acquire) == me;
    }
    [[nodiscard]] bool is_mine(const void* me) const noexcept {
        return thread_.load(std::memory_order_acquire) == mark_of(me);
    }
    [[nodiscard]] bool is_abandoned() const noexcept {
        return thread_.load(std::memory_order_relaxed) == nullptr;
    }
    /// Makes a heap that no thread has the thread's; false if a thread has it. All that was done
    /// with it before it was abandoned is seen.
    [[nodiscard]] bool adopt(const void* me) noexcept {
        const void* none = nullptr;
        return thread_.compare_exchange_strong(none, mark_of(me), std::memory_order_acquire,
                                               std::memory_order_relaxed);
    }
    /// By its thread.
    void abandon() noexcept { thread_.store(nullptr, std::memory_order_release); }

    /// Index of its affinity, or of its shared heap.
    [[nodiscard]] unsigned affinity() const noexcept { return affinity_; }
    /// The affinity_heap.
    [[nodiscard]] void* user() const noexcept { return user_; }

    /// Its slab_heap, if it has one.
    [[nodiscard]] slab_front& heap() noexcept {
        return *std::launder(static_cast<slab_front*>(storage_));
    }

protected:
    thread_heap_front() noexcept = default;
    ~thread_heap_front() = default;

    std::atomic<const void*> thread_{nullptr};
    void* storage_ = nullptr; ///< where the heap lies
    void* user_ = nullptr;
    unsigned affinity_ = 0;

private:
    /// Stands for a thread in thread_.
    [[nodiscard]] const void* mark_of(const void* me) const noexcept {
        return static_cast<const std::byte*>(me) + (affinity_ < most_affinities ? 0 : 1);
    }

    friend class affinity_pages; // which enters addresses
    static constinit address_table table;
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
