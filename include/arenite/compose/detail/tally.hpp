// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/compose/detail/headroom.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/detail/extremes.hpp>

#include <atomic>
#include <cstddef>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// Counts allocations, frees and bytes, and the largest number of bytes at once.
///
/// Stores the headroom up to the maximum: an allocation within it sets no new one. A careful tally
/// acts as if there were none: each call takes the slow path.
///
/// Limits:    at most PTRDIFF_MAX / 2 bytes.
/// Threads:   one at a time; tally<true> any.
template <bool Concurrent>
class tally {
public:
    explicit tally(bool careful) noexcept : room_{0, careful} {}

    /// Counts an allocation; true if it sets no new maximum. If false, the next call must be
    /// undo_allocation(), after which nothing has changed.
    [[nodiscard]] ARENITE_INLINE bool allocated_quickly(std::size_t bytes) noexcept {
        ++allocations_;
        return room_.take(bytes);
    }
    void undo_allocation(std::size_t bytes) noexcept {
        --allocations_;
        room_.give(bytes);
    }

    void allocated(std::size_t bytes) noexcept {
        ++allocations_;
        settle(0, bytes);
    }

    /// Counts `bytes` in use where `told` were counted.
    void settle(std::size_t told, std::size_t bytes) noexcept {
        room_.take(bytes - told);
        if (const std::ptrdiff_t left = room_.left(); left < 0) {
            most_ += static_cast<std::size_t>(-left);
            room_.give(static_cast<std::size_t>(-left));
        }
    }

    /// Counts a free and returns true. If false, the next call must be undo_free(), after which
    /// nothing has changed.
    [[nodiscard]] ARENITE_INLINE bool freed_quickly(std::size_t bytes) noexcept {
        ++frees_;
        return room_.give(bytes);
    }
    void undo_free(std::size_t bytes) noexcept {
        --frees_;
        room_.take(bytes);
    }

    void freed(std::size_t bytes) noexcept {
        ++frees_;
        room_.give(bytes);
    }

    /// Counts everything allocated as freed.
    void clear() noexcept {
        room_.give(in_use());
        frees_ = allocations_;
    }

    [[nodiscard]] std::size_t in_use() const noexcept {
        return most_ - static_cast<std::size_t>(room_.left());
    }
    [[nodiscard]] std::size_t most() const noexcept { return most_; }
    [[nodiscard]] std::size_t allocations() const noexcept { return allocations_; }
    [[nodiscard]] std::size_t frees() const noexcept { return frees_; }
    [[nodiscard]] bool is_careful() const noexcept { return room_.is_careful(); }

private:
    headroom room_;
    std::size_t most_ = 0; // between the counts: side by side they would be made one vector
    std::size_t allocations_ = 0;
    std::size_t frees_ = 0;
};

/// For any number of threads. Each figure is exact; two of them need not be of the same moment, but
/// a reader that reads the frees first sees no free without its allocation.
template <>
class tally<true> {
public:
    explicit tally(bool careful) noexcept : careful_{careful} {}

    [[nodiscard]] static bool allocated_quickly(std::size_t) noexcept { return false; }
    void undo_allocation(std::size_t) noexcept {}
    void allocated(std::size_t bytes) noexcept {
        allocations_.fetch_add(1, std::memory_order_relaxed);
        settle(0, bytes);
    }
    void settle(std::size_t told, std::size_t bytes) noexcept {
        const std::size_t more = bytes - told;
        const std::size_t now = in_use_.fetch_add(more, std::memory_order_relaxed) + more;
        std::size_t most = most_.load(std::memory_order_relaxed);
        while (most < now && !most_.compare_exchange_weak(most, now, std::memory_order_relaxed)) {
        }
    }
    [[nodiscard]] static bool freed_quickly(std::size_t) noexcept { return false; }
    void undo_free(std::size_t) noexcept {}
    void freed(std::size_t bytes) noexcept {
        in_use_.fetch_sub(bytes, std::memory_order_relaxed);
        frees_.fetch_add(1, std::memory_order_release); // after the allocation, of whatever thread
    }
    void clear() noexcept {
        in_use_ = 0;
        frees_ = allocations_.load();
    }

    [[nodiscard]] std::size_t in_use() const noexcept { return in_use_; }
    [[nodiscard]] std::size_t most() const noexcept { return larger<std::size_t>(most_, in_use_); }
    [[nodiscard]] std::size_t allocations() const noexcept { return allocations_; }
    [[nodiscard]] std::size_t frees() const noexcept {
        return frees_.load(std::memory_order_acquire);
    }
    [[nodiscard]] bool is_careful() const noexcept { return careful_; }

private:
    std::atomic<std::size_t> in_use_{0};
    std::atomic<std::size_t> most_{0};
    std::atomic<std::size_t> allocations_{0};
    std::atomic<std::size_t> frees_{0};
    bool careful_;
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
