// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/block/detail/address_table.hpp>
#include <arenite/core/config.hpp>
#include <arenite/ordered/detail/slab_front.hpp>

#include <atomic>
#include <cstddef>
#include <new>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// The part of an affinity_share that inlined frees by address alone read: whose it is, and where
/// its heap lies.
///
///     address  ->  table  ->  share_front  ->  slab_front  ->  page, bit
///
/// Threads:   any, while an object of the share lives; the heap as affinity_share says.
class share_front {
public:
    share_front(const share_front&) = delete;
    share_front& operator=(const share_front&) = delete;

    /// The share whose memory p points into; nullptr where there is none.
    [[nodiscard]] ARENITE_INLINE static share_front* around(const void* p) noexcept {
        return reinterpret_cast<share_front*>(table.find(p));
    }

    /// True if the thread with this thread_heaps::thread() has it, and it is an affinity's: objects
    /// of a shared_heap don't go the short way of those whose affinity is not known.
    [[nodiscard]] ARENITE_INLINE bool is_mine_and_an_affinitys(const void* me) const noexcept {
        return thread_.load(std::memory_order_acquire) == me;
    }
    /// Index of its affinity, or of its shared heap.
    [[nodiscard]] unsigned affinity() const noexcept { return affinity_; }
    /// The affinity_heap.
    [[nodiscard]] void* user() const noexcept { return user_; }

    /// Its heap, of a share that has a slab_heap.
    [[nodiscard]] slab_front& heap() noexcept {
        return *std::launder(static_cast<slab_front*>(storage_));
    }

protected:
    share_front() noexcept = default;
    ~share_front() = default;

    std::atomic<const void*> thread_{nullptr};
    void* storage_ = nullptr; ///< where the heap lies
    void* user_ = nullptr;
    unsigned affinity_ = 0;

private:
    friend class affinity_pages; // which enters addresses
    static constinit address_table table;
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
