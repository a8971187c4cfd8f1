// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>
#include <arenite/core/detail/extremes.hpp>
#include <arenite/core/usage.hpp>
#include <arenite/os/detail/fork_lock.hpp>

#include <atomic>
#include <cstddef>
#include <mutex>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

class affinity_share;
enum class share_kind : unsigned char;

/// The shares of one affinity: of its threads, of nobody, and the one for large objects.
///
///     first -> share, thread 3 -> share, nobody -> share, thread 1 -> share, large
///
/// A share whose thread ended waits here for the next thread that needs memory, with all that lives
/// in it. Two that hold nothing may wait; further ones are retired, and serve whatever affinity
/// needs a share next. So there are never more than threads that were alive at once, for each
/// affinity that they used, and shares that still hold something.
///
/// Use when:  for affinity_heap alone.
/// Cost:      O(shares), at slow calls; has_orphans: one load.
/// Threads:   any. The lock is held shortly, and not while for_each calls; nothing is retired
///            meanwhile.
class affinity_shares {
public:
    affinity_shares() noexcept = default;
    affinity_shares(const affinity_shares&) = delete;
    affinity_shares& operator=(const affinity_shares&) = delete;

    /// A new one of the calling thread, or of nobody, among the others.
    void add(affinity_share& share) noexcept;

    [[nodiscard]] bool has_orphans() const noexcept {
        return orphans_.load(std::memory_order_relaxed) > 0;
    }

    /// One that no thread has, taken for this one; nullptr where there is none.
    [[nodiscard]] affinity_share* adopt(share_kind kind, const void* me) noexcept;

    /// By the thread that has it, not for one call only: no thread has it from now on.
    void abandon(affinity_share& share) noexcept;

    /// By a thread that took an abandoned share for one call: it has it no longer. `is_empty`:
    /// perhaps nothing lives in it now.
    void end_borrowing(affinity_share& share, bool is_empty) noexcept;

    /// Takes out those that no thread has and that hold no memory.
    void retire_empty() noexcept;

    /// Ends all of them, with what lives in them. No thread may be using one, or come to any more.
    void end() noexcept;

    /// Calls f(affinity_share&) for each.
    template <class F>
    void for_each(F f) const noexcept {
        const pin walking{*this};
        for (affinity_share* s = first_.load(std::memory_order_acquire); s != nullptr;
             s = next(*s))
            f(*s);
    }

    /// The books of retired shares: objects of other shares that their threads freed.
    [[nodiscard]] arenite::usage balance() const noexcept {
        return {.bytes_in_use = bytes_.load(std::memory_order_relaxed),
                .live_allocations = objects_.load(std::memory_order_relaxed)};
    }
    /// The largest sum that the shares' high waters ever had, also those of shares that are retired
    /// by now; `now` is what it is at present.
    std::size_t note_high_water(std::size_t now) const noexcept {
        std::size_t most = high_water_.load(std::memory_order_relaxed);
        while (most < now &&
               !high_water_.compare_exchange_weak(most, now, std::memory_order_relaxed)) {
        }
        return larger(most, now);
    }
    /// When all shares begin anew.
    void forget_balance() noexcept {
        bytes_.store(0, std::memory_order_relaxed);
        objects_.store(0, std::memory_order_relaxed);
    }

    /// In a forked child, where but one thread is: counts anew whose they are.
    void after_fork_in_child(const void* me) noexcept;
    /// Then, when those of all affinities have been counted.
    void queue_marked_blocks() noexcept;

    [[nodiscard]] std::size_t count() const noexcept;

private:
    static constexpr int most_empty = 2;

    /// While one is there, none is retired.
    class pin {
    public:
        explicit pin(const affinity_shares& shares) noexcept;
        ~pin();
        pin(const pin&) = delete;
        pin& operator=(const pin&) = delete;

    private:
        const affinity_shares& shares_;
    };

    [[nodiscard]] static affinity_share* next(const affinity_share& share) noexcept;
    [[nodiscard]] bool try_retire(affinity_share& share) noexcept;
    void take_out(affinity_share& share) noexcept;

    mutable fork_lock<std::mutex> lock_;
    std::atomic<affinity_share*> first_{nullptr};
    std::atomic<int> orphans_{0}; ///< shares that are abandoned, but for borrowed ones exactly
    mutable int walkers_ = 0;
    std::atomic<std::size_t> bytes_{0}; ///< of balance(), may be less than nothing
    std::atomic<std::size_t> objects_{0};
    mutable std::atomic<std::size_t> high_water_{0};
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
