// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <limits>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// Counts allocations, frees and bytes, and the most bytes that there were at once.
///
///     0 ............. in use ....... most
///                           |<-left->|      negative: this is the most
///
/// What is left up to the most is kept, so that an allocation below it takes a subtraction and a
/// look at the sign. In a careful tally it is negative always: each call is looked at.
///
/// Limits:    at most PTRDIFF_MAX / 2 bytes.
/// Threads:   one at a time; tally<true> any.
template <bool Concurrent>
class tally {
public:
    explicit tally(bool careful) noexcept : left_{0 - below_all(careful)}, careful_{careful} {}

    /// True: an allocation is counted, and is no new most. False: nothing has changed once
    /// undo_allocation() was called, which is then the next call.
    [[nodiscard]] ARENITE_INLINE bool allocated_quickly(std::size_t bytes) noexcept {
        ++allocations_;
        left_ = plus(0 - bytes);
        return left_ >= 0;
    }
    void undo_allocation(std::size_t bytes) noexcept {
        --allocations_;
        left_ = plus(bytes);
    }

    void allocated(std::size_t bytes) noexcept {
        ++allocations_;
        settle(0, bytes);
    }

    /// Counts `bytes` in use where `told` were counted.
    void settle(std::size_t told, std::size_t bytes) noexcept {
        left_ = plus(told - bytes);
        const std::ptrdiff_t left = left_ + below_all(careful_);
        if (left < 0) {
            most_ += static_cast<std::size_t>(-left);
            left_ -= left;
        }
    }

    /// True: a free is counted. False: nothing has changed once undo_free() was called, which is
    /// then the next call.
    [[nodiscard]] ARENITE_INLINE bool freed_quickly(std::size_t bytes) noexcept {
        ++frees_;
        left_ = plus(bytes);
        return left_ >= 0;
    }
    void undo_free(std::size_t bytes) noexcept {
        --frees_;
        left_ = plus(0 - bytes);
    }

    void freed(std::size_t bytes) noexcept {
        ++frees_;
        left_ = plus(bytes);
    }

    /// All that was allocated is freed.
    void clear() noexcept {
        left_ = plus(in_use());
        frees_ = allocations_;
    }

    [[nodiscard]] std::size_t in_use() const noexcept {
        return most_ - static_cast<std::size_t>(left_ + below_all(careful_));
    }
    [[nodiscard]] std::size_t most() const noexcept { return most_; }
    [[nodiscard]] std::size_t allocations() const noexcept { return allocations_; }
    [[nodiscard]] std::size_t frees() const noexcept { return frees_; }
    [[nodiscard]] bool is_careful() const noexcept { return careful_; }

private:
    [[nodiscard]] static constexpr std::ptrdiff_t below_all(bool careful) noexcept {
        return careful ? std::numeric_limits<std::ptrdiff_t>::max() / 2 + 1 : 0;
    }
    [[nodiscard]] ARENITE_INLINE std::ptrdiff_t plus(std::size_t bytes) const noexcept {
        return static_cast<std::ptrdiff_t>(static_cast<std::size_t>(left_) + bytes);
    }

    std::ptrdiff_t left_;
    std::size_t most_ = 0; // between the counts: side by side they would be made one vector
    std::size_t allocations_ = 0;
    std::size_t frees_ = 0;
    bool careful_;
};

/// For any number of threads. Each figure is exact; two of them need not be of one moment, but who
/// reads the frees first sees no free without its allocation.
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
    [[nodiscard]] std::size_t most() const noexcept {
        return std::max<std::size_t>(most_, in_use_);
    }
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
