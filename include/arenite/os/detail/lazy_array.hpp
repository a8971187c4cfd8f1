// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>

#include <atomic>
#include <cstddef>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// Zero-filled pages, or nullptr; end_leaf() returns them.
[[nodiscard]] void* make_leaf(std::size_t bytes) noexcept;
void end_leaf(void* p, std::size_t bytes) noexcept;

/// An array too large to have memory: each leaf of it gets some when an entry is first written.
///
///     leaves    [ 0 | 0 | * | 0 | ... ]      zero at the start
///                         |
///     leaf                [ 0 | 0 | entry | entry | 0 | ... ]      pages of the system, all zero
///
/// Entries are atomic objects whose zero bytes mean 0: a leaf is used as the system gives it, since
/// constructing its entries would touch all its pages.
///
/// Use when:  a table by address or by number must be there before main and after it.
/// Cost:      find: one load; make: as find, and four system calls for the first entry of a leaf.
/// Overhead:  8 bytes a leaf; a leaf is resident where its entries were written.
/// Limits:    65,536 leaves, or clang does not see that it is constant.
/// Threads:   any. An entry is found by a thread that learnt of it after it was made.
/// Failure:   make returns nullptr where pages are refused; nothing changes.
template <class Entry, std::size_t LeafEntries, std::size_t Leaves>
class lazy_array {
public:
    static constexpr std::size_t leaf_entries = LeafEntries;
    static constexpr std::size_t leaf_count = Leaves;
    static constexpr std::size_t size = LeafEntries * Leaves;

    constexpr lazy_array() noexcept = default;
    lazy_array(const lazy_array&) = delete;
    lazy_array& operator=(const lazy_array&) = delete;

    /// The first entry of a leaf; nullptr where none of its entries was ever made.
    [[nodiscard]] ARENITE_INLINE Entry* leaf(std::size_t index) const noexcept {
        return leaves_[index].load(std::memory_order_acquire);
    }

    /// Entry i; nullptr where it was never made, and from the end of the array on.
    [[nodiscard]] ARENITE_INLINE Entry* find(std::size_t i) const noexcept {
        if (i >= size) [[unlikely]]
            return nullptr;
        Entry* const begin = leaf(i / LeafEntries);
        return begin != nullptr ? begin + i % LeafEntries : nullptr;
    }

    /// Entry i, with memory.
    [[nodiscard]] Entry* make(std::size_t i) noexcept {
        if (i >= size)
            return nullptr;
        std::atomic<Entry*>& place = leaves_[i / LeafEntries];
        Entry* there = place.load(std::memory_order_acquire);
        if (there == nullptr) {
            auto* const mine = static_cast<Entry*>(make_leaf(leaf_bytes));
            if (mine == nullptr)
                return nullptr;
            if (place.compare_exchange_strong(there, mine, std::memory_order_acq_rel,
                                              std::memory_order_acquire))
                there = mine;
            else
                end_leaf(mine, leaf_bytes); // another thread was faster
        }
        return there + i % LeafEntries;
    }

    /// Returns all leaves, where the module that the array is in is closed: while no thread looks
    /// anything up.
    void end() noexcept {
        for (auto& place : leaves_)
            if (Entry* const there = place.exchange(nullptr, std::memory_order_relaxed))
                end_leaf(there, leaf_bytes);
    }

private:
    static_assert(Entry::is_always_lock_free && Leaves <= 65536);
    static constexpr std::size_t leaf_bytes = LeafEntries * sizeof(Entry);

    std::atomic<Entry*> leaves_[Leaves] = {};
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
