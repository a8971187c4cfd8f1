// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/block/block.hpp>
#include <arenite/core/config.hpp>

#include <cstddef>
#include <cstdint>

namespace arenite {
inline namespace ARENITE_ABI {

/// Small objects that were freed a moment ago, latest first: whoever frees and allocates in turn
/// gets the same few lines of cache again, instead of the next hole in address order.
///
/// One stack of 32 for each size of 1 to 16 granules, one of 8 for each up to 64. What is in it
/// still counts as taken in its block: 160 KB at most.
///
/// Use when:  single objects are freed and allocated in turn, and order matters less.
/// Cost:      put and take O(1), without a look at the block.
/// Overhead:  7 KiB and a bit, in all.
/// Threads:   one at a time.
class magazine {
public:
    static constexpr std::size_t largest = 64; ///< granules

    /// How many of a size it takes.
    [[nodiscard]] static constexpr std::size_t depth(std::size_t granules) noexcept {
        return granules <= small ? small_depth : other_depth;
    }

    /// How many it takes in all.
    static constexpr std::size_t capacity = 16 * 32 + 48 * 8;

    /// True for sizes that it takes.
    [[nodiscard]] static constexpr bool holds(std::size_t granules) noexcept {
        return granules - 1 < largest;
    }

    /// The object of this size that was put last, or nullptr.
    [[nodiscard]] void* take(std::size_t granules) noexcept {
        std::uint8_t& count = counts_[granules - 1];
        if (count == 0)
            return nullptr;
        granules_ -= granules;
        return stack(granules)[--count];
    }

    /// The object of this size that was put last and is still here, or nullptr: freeing it is
    /// freeing it twice.
    [[nodiscard]] const void* latest(std::size_t granules) const noexcept {
        const std::uint8_t count = counts_[granules - 1];
        return count == 0 ? nullptr : stack(granules)[count - 1];
    }

    /// False if it is full; then half of this size is to be taken by take_oldest first.
    [[nodiscard]] bool put(void* p, std::size_t granules) noexcept {
        std::uint8_t& count = counts_[granules - 1];
        if (count == depth(granules))
            return false;
        granules_ += granules;
        stack(granules)[count++] = p;
        return true;
    }

    /// Hands f each of the `n` objects of this size that have been here longest.
    template <class F>
    void take_oldest(std::size_t granules, std::size_t n, F f) {
        std::uint8_t& count = counts_[granules - 1];
        void** const slots = stack(granules);
        n = n < count ? n : count;
        for (std::size_t i = 0; i < n; ++i) {
            granules_ -= granules;
            f(slots[i]);
        }
        for (std::size_t i = n; i < count; ++i)
            slots[i - n] = slots[i];
        count = static_cast<std::uint8_t>(count - n);
    }

    /// Hands f each object in it, as (p, granules).
    template <class F>
    void for_each(F f) const {
        for (std::size_t i = 0; i < largest; ++i)
            for (std::size_t n = 0; n < counts_[i]; ++n)
                f(stack(i + 1)[n], i + 1);
    }

    /// Granules of all that is in it.
    [[nodiscard]] std::size_t granules() const noexcept { return granules_; }

private:
    static constexpr std::size_t small = 16;
    static constexpr std::size_t small_depth = 32;
    static constexpr std::size_t other_depth = 8;
    static_assert(capacity == small * small_depth + (largest - small) * other_depth);

    [[nodiscard]] static constexpr std::size_t begin(std::size_t granules) noexcept {
        return granules <= small ? (granules - 1) * small_depth
                                 : small * small_depth + (granules - 1 - small) * other_depth;
    }
    [[nodiscard]] void** stack(std::size_t granules) noexcept { return slots_ + begin(granules); }
    [[nodiscard]] void* const* stack(std::size_t granules) const noexcept {
        return slots_ + begin(granules);
    }

    std::size_t granules_ = 0;
    std::uint8_t counts_[largest] = {};
    void* slots_[capacity];
};

} // namespace ARENITE_ABI
} // namespace arenite
