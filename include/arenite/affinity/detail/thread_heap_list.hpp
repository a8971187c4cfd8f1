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

class thread_heap;
enum class thread_heap_kind : unsigned char;

/// The heaps of one affinity: of its threads, of nobody, and the one for large objects.
///
///     first -> heap, thread 3 -> heap, nobody -> heap, thread 1 -> heap, large
///
/// A heap whose thread ended waits here for the next thread that needs memory, with all that lives
/// in it. Two that hold nothing may wait; further ones are retired, and serve whatever affinity
/// needs a heap next. So, while nobody walks over them, there are no more than threads that were
/// alive at once, for each affinity that they used, and heaps that still hold something.
///
/// Use when:  for affinity_heap alone.
/// Cost:      O(heaps), at slow calls; has_orphans: one load.
/// Threads:   any. The lock is held shortly, and not while for_each calls; nothing is retired
///            meanwhile.
class thread_heap_list {
public:
    thread_heap_list() noexcept = default;
    thread_heap_list(const thread_heap_list&) = delete;
    thread_heap_list& operator=(const thread_heap_list&) = delete;

    /// A new one of the calling thread, or of nobody, among the others.
    void add(thread_heap& heap) noexcept;

    [[nodiscard]] bool has_orphans() const noexcept {
        return orphans_.load(std::memory_order_relaxed) > 0;
    }

    /// Heaps that no thread has: all of them, or those that hold no memory.
    enum class orphans : bool { all, empty };

    /// One of these, taken for this thread; nullptr where there is none.
    [[nodiscard]] thread_heap* adopt(thread_heap_kind kind, const void* me,
                                     orphans of = orphans::all) noexcept;

    /// By the thread that has it, not for one call only: no thread has it from now on.
    void abandon(thread_heap& heap) noexcept;

    /// By a thread that took an abandoned heap for one call: it has it no longer. `is_empty`:
    /// perhaps nothing lives in it now.
    void end_borrowing(thread_heap& heap, bool is_empty) noexcept;

    /// Takes out those that no thread has and that hold no memory.
    void retire_empty() noexcept;

    /// Ends all of them, with what lives in them. No thread may be using one, or come to any more.
    void end() noexcept;

    /// Calls f(thread_heap&) for each. What f throws is passed on.
    template <class F>
    void for_each(F f) const {
        const pin walking{*this};
        walk(f);
    }

    /// The sum of usage_of(thread_heap&) of each, and of what retired heaps left in the books. None
    /// is retired meanwhile, so each is counted once, in its own place or in the books. What
    /// usage_of throws is passed on.
    template <class F>
    [[nodiscard]] arenite::usage sum(F usage_of) const {
        const pin walking{*this};
        arenite::usage all = balance();
        walk([&](thread_heap& heap) { all += usage_of(heap); });
        return all;
    }

    /// The largest sum that the heaps' high waters ever had, also those of heaps that are retired
    /// by now; `now` is what it is at present.
    std::size_t note_high_water(std::size_t now) const noexcept {
        std::size_t most = high_water_.load(std::memory_order_relaxed);
        while (most < now &&
               !high_water_.compare_exchange_weak(most, now, std::memory_order_relaxed)) {
        }
        return larger(most, now);
    }
    /// When all heaps begin anew.
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
        explicit pin(const thread_heap_list& heaps) noexcept;
        ~pin();
        pin(const pin&) = delete;
        pin& operator=(const pin&) = delete;

    private:
        const thread_heap_list& heaps_;
        visitor_count::ticket entered_;
    };

    template <class F>
    void walk(F f) const {
        for (thread_heap* heap = first_.load(std::memory_order_acquire); heap != nullptr;
             heap = next(*heap))
            f(*heap);
    }

    /// The books of retired heaps: objects of other heaps that their threads freed.
    [[nodiscard]] arenite::usage balance() const noexcept {
        return {.bytes_in_use = bytes_.load(std::memory_order_relaxed),
                .live_allocations = objects_.load(std::memory_order_relaxed)};
    }
    [[nodiscard]] static thread_heap* next(const thread_heap& heap) noexcept;
    [[nodiscard]] bool try_retire(thread_heap& heap) noexcept;
    void take_out(thread_heap& heap) noexcept;

    mutable fork_lock<std::mutex> lock_;
    std::atomic<thread_heap*> first_{nullptr};
    std::atomic<int> orphans_{0}; ///< heaps that are abandoned, but for borrowed ones exactly
    mutable visitor_count walkers_;
    std::atomic<std::size_t> bytes_{0}; ///< of balance(), may be less than nothing
    std::atomic<std::size_t> objects_{0};
    mutable std::atomic<std::size_t> high_water_{0};
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
