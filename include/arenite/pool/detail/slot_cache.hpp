// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>
#include <arenite/core/contract.hpp>
#include <arenite/core/detail/bits.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <span>
#include <utility>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// Free slots in front of a pool's bits: all that its inlined calls touch.
///
///     window  [cursor, limit)   neighbours that are handed out upward
///     run     [begin, end)      neighbours that were freed one after the other
///     hot     | | | | |         up to 128 that were freed recently, the latest first out
///     or held back, where each call is to be a slow one: freed, and not to be handed out
///
/// Invariant: each slot in here has its bit set and is not handed out. What leaves by take() is the
/// user's, what leaves by drain...() loses its bit.
///
/// Cost:      take, extend_run, push O(1), inlined; the rest O(what it moves).
/// Misuse:    a slot freed twice may be in here twice; clearing its bit the second time reveals it.
/// Threads:   one at a time, as its pool.
class slot_cache {
public:
    /// Slots that are hot at most. A word of bits fills half of it.
    static constexpr std::size_t depth = 2 * bits::word_bits;

    explicit slot_cache(std::size_t slot_bytes) noexcept : slot_bytes_{slot_bytes} {}

    slot_cache(const slot_cache&) = delete;
    slot_cache& operator=(const slot_cache&) = delete;

    [[nodiscard]] std::size_t slot_bytes() const noexcept { return slot_bytes_; }

    // ---- the inlined calls; slot_bytes may be a constant of the caller's

    /// A slot, or nullptr where there is neither a hot one nor a window.
    [[nodiscard]] ARENITE_INLINE void* take(std::size_t slot_bytes) noexcept {
        ARENITE_ASSERT(slot_bytes == slot_bytes_, "slot_bytes must be those of the pool");
        if (hot_count_ != 0) {
            void* const p = hot_[--hot_count_];
            ARENITE_ASSUME(p != nullptr);
            return p;
        }
        std::byte* const p = cursor_;
        if (p == limit_) [[unlikely]]
            return nullptr;
        cursor_ = p + slot_bytes;
        ARENITE_ASSUME(p != nullptr);
        return p;
    }

    /// Takes a slot that lies beside the run. False, and nothing is done: it does not; a slot of
    /// another pool never does.
    [[nodiscard]] ARENITE_INLINE bool extend_run(void* p, std::size_t slot_bytes) noexcept {
        ARENITE_ASSERT(slot_bytes == slot_bytes_, "slot_bytes must be those of the pool");
        auto* const at = static_cast<std::byte*>(p);
        if (at == run_end_) [[likely]]
            run_end_ = at + slot_bytes;
        else if (at + slot_bytes == run_begin_)
            run_begin_ = at;
        else
            return false;
        return true;
    }

    /// Makes a slot hot. False, and nothing is done: there is no room.
    [[nodiscard]] ARENITE_INLINE bool push(void* p) noexcept {
        if (hot_count_ >= room_) [[unlikely]]
            return false;
        hot_[hot_count_++] = static_cast<std::byte*>(p);
        return true;
    }

    // ---- what slow calls do

    /// Without room no slot becomes hot, and while there is no run either every call is a slow one.
    void set_room(bool any) noexcept { room_ = any ? depth : 0; }
    [[nodiscard]] bool has_room() const noexcept { return room_ != 0; }

    /// Slots in here.
    [[nodiscard]] std::size_t count() const noexcept {
        const auto bytes = static_cast<std::size_t>((limit_ - cursor_) + (run_end_ - run_begin_));
        return hot_count_ + held_back_ + (bytes == 0 ? 0 : bytes / slot_bytes_);
    }

    /// Hands the run out next, from below; there must be no window. False: there is no run.
    bool reuse_run() noexcept {
        if (run_begin_ == run_end_)
            return false;
        cursor_ = std::exchange(run_begin_, nullptr);
        limit_ = std::exchange(run_end_, nullptr);
        return true;
    }

    /// A window of `count` slots; there must be none.
    void open_window(std::byte* begin, std::size_t count) noexcept {
        cursor_ = begin;
        limit_ = begin + count * slot_bytes_;
    }

    /// Makes the slots hot that are set in `mask`, of the 64 from `begin` on: they come out upward.
    void push_word(std::byte* begin, bits::word mask) noexcept {
        std::size_t i = hot_count_ += static_cast<std::size_t>(std::popcount(mask));
        for (; mask != 0; mask &= mask - 1)
            hot_[--i] = begin + static_cast<std::size_t>(std::countr_zero(mask)) * slot_bytes_;
    }

    /// Slots in the run.
    [[nodiscard]] std::size_t run_count() const noexcept {
        return static_cast<std::size_t>(run_end_ - run_begin_) / slot_bytes_;
    }

    /// Begins a run with one slot; the run before must have been drained.
    void begin_run(std::byte* p) noexcept {
        run_begin_ = p;
        run_end_ = p + slot_bytes_;
    }

    /// True if p is a neighbour of the latest hot slot: more of them may come.
    [[nodiscard]] bool is_beside_latest(const std::byte* p) const noexcept {
        if (hot_count_ == 0)
            return false;
        const std::byte* const latest = hot_[hot_count_ - 1];
        return p == latest + slot_bytes_ || p + slot_bytes_ == latest;
    }

    /// Keeps a freed slot from being handed out; nothing may be hot. False: with it there are
    /// `depth`, and they are to be drained.
    bool hold_back(std::byte* p) noexcept {
        hot_[held_back_++] = p;
        return held_back_ != depth;
    }
    [[nodiscard]] std::size_t held_back() const noexcept { return held_back_; }

    // Each gives slots to f and has them no more: they are not counted while f clears their bits.

    /// f(std::byte* first, std::size_t count) for the run, if there is one.
    template <class F>
    void drain_run(F f) noexcept {
        std::byte* const begin = std::exchange(run_begin_, nullptr);
        std::byte* const end = std::exchange(run_end_, nullptr);
        if (begin != end)
            f(begin, static_cast<std::size_t>(end - begin) / slot_bytes_);
    }

    /// f(span of std::byte*) for up to `most` hot slots, those that were freed longest ago.
    template <class F>
    void drain_oldest(std::size_t most, F f) noexcept {
        const std::size_t count = std::min(most, hot_count_);
        if (count == 0)
            return;
        hot_count_ -= count;
        f(std::span<std::byte* const>{hot_, count});
        std::copy(hot_ + count, hot_ + count + hot_count_, hot_);
    }

    /// Calls f for the slots held back.
    template <class F>
    void drain_held_back(F f) noexcept {
        if (const std::size_t count = std::exchange(held_back_, 0); count != 0)
            f(std::span<std::byte* const>{hot_, count});
    }

    /// All there is: on_run for what lies side by side, on_slots for the others.
    template <class OnRun, class OnSlots>
    void drain(OnRun on_run, OnSlots on_slots) noexcept {
        drain_run(on_run);
        run_begin_ = std::exchange(cursor_, nullptr);
        run_end_ = std::exchange(limit_, nullptr);
        drain_run(on_run);
        drain_oldest(depth, on_slots);
        drain_held_back(on_slots);
    }

    /// The free slots in the cache at one moment, to be looked up one by one.
    class snapshot {
    public:
        explicit snapshot(const slot_cache& cache) noexcept;
        [[nodiscard]] bool contains(const std::byte* p) const noexcept;

    private:
        const slot_cache& cache_;
        std::size_t count_;
        const std::byte* sorted_[depth];
    };

private:
    // With the table of functions of the pool whose first member this is, one cache line.
    std::byte* cursor_ = nullptr;
    std::byte* limit_ = nullptr;
    std::size_t hot_count_ = 0;
    std::size_t room_ = 0; // depth or 0
    std::byte* run_begin_ = nullptr;
    std::byte* run_end_ = nullptr;
    std::size_t slot_bytes_;

    std::size_t held_back_ = 0; // in hot_, whose hot_count_ is 0 then
    std::byte* hot_[depth];
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
