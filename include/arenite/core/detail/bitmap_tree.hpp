// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>
#include <arenite/core/contract.hpp>
#include <arenite/core/detail/bits.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// Which of a fixed number of positions are taken; finds the lowest free one in a few instructions.
///
/// A tree of words without pointers. A bit of the lowest level is a position, 1 is taken; a bit of
/// every other level is a word of the level below, 1 is full. The path of zero bits from the top
/// leads to the lowest free position. All levels lie in one array, the top first:
///
///     level 0   [0....1111]                      unused bits at the end are set
///                 |
///     level 1   [1110....]     [0.......] ...    64 words of level 2 each
///                    |
///     level 2   [1111] [1111] [1111] [1011] ...  64 positions each
///                                      ^ the lowest free position
///
/// Use when:  slots are numbered and the lowest free one is wanted, or runs of free ones.
/// Cost:      O(levels) an operation, levels = ceil(log64(capacity)), at most 6, and mostly one
///            word, since where the lowest free one was last is remembered; a range of n positions
///            O(n / 64 + levels); counts O(1). No memory of its own, no allocation.
/// Overhead:  1 bit a position and 1/63 of that for the upper levels.
/// Limits:    capacity 1 to 2^32 (2^31 where addresses have 32 bits), fixed; give
///            words_for(capacity) words, which must stay in place.
/// Threads:   one at a time.
/// Failure:   npos where nothing is free. A position out of range, one taken twice or given back
///            while free is a contract violation, found in checked builds.
/// Source:    Tapia, Suballocator (the heap of bits), 3.2.
class bitmap_tree {
public:
    using word = bits::word;

    static constexpr std::size_t npos = ~std::size_t{0};
    static constexpr std::size_t max_capacity = std::size_t{1}
                                                << (sizeof(std::size_t) == 8 ? 32 : 31);
    static constexpr std::size_t max_levels = 6;

    /// Levels that a capacity needs: the top one is a single word.
    [[nodiscard]] static constexpr std::size_t levels_for(std::size_t capacity) noexcept {
        std::size_t levels = 1;
        for (std::size_t n = words_above(capacity); n > 1; n = words_above(n))
            ++levels;
        return levels;
    }

    /// Bits in use in a level; level 0 is the top, the last level has a bit for each position.
    [[nodiscard]] static constexpr std::size_t bits_in_level(std::size_t capacity,
                                                             std::size_t level) noexcept {
        std::size_t n = capacity;
        for (std::size_t l = levels_for(capacity) - 1; l > level; --l)
            n = words_above(n);
        return n;
    }

    /// Words that a tree of this capacity needs.
    [[nodiscard]] static constexpr std::size_t words_for(std::size_t capacity) noexcept {
        std::size_t words = 1;
        for (std::size_t n = words_above(capacity); n > 1; n = words_above(n))
            words += n;
        return words;
    }

    /// Bytes for a tree of `capacity` bits.
    [[nodiscard]] static constexpr std::size_t bytes_for(std::size_t capacity) noexcept {
        return words_for(capacity) * sizeof(word);
    }

    /// Contents of the words when a tree is made over them.
    enum class contents { unknown, zero };

    /// A tree without positions; everything is full.
    constexpr bitmap_tree() noexcept = default;

    /// Every position is free. Writes all the words, or only one a level where they are known to be
    /// zero: then fresh pages are not touched before they are used. `words` must have
    /// words_for(capacity).
    constexpr bitmap_tree(std::size_t capacity, std::span<word> words,
                          contents before = contents::unknown) noexcept
        : capacity_{capacity}, levels_{levels_for(capacity)} {
        ARENITE_ASSERT(capacity >= 1 && capacity <= max_capacity,
                       "the capacity of a bitmap_tree is 1 to 2^32");
        ARENITE_ASSERT(words.size() >= words_for(capacity),
                       "a bitmap_tree needs words_for(capacity) words");
        if (before == contents::unknown) {
            for (std::size_t i = 0; i < words_for(capacity); ++i)
                words[i] = 0;
        }
        word* end = words.data() + words_for(capacity);
        std::size_t used = capacity;
        for (std::size_t l = 0; l < levels_; ++l) {
            const std::size_t n = words_above(used);
            level_[l] = end - n;
            if (used % 64 != 0)
                end[-1] = ~bits::low_mask(used % 64);
            end -= n;
            used = n;
        }
    }

    // One tree governs its words: a copy would count for itself.
    bitmap_tree(const bitmap_tree&) = delete;
    bitmap_tree& operator=(const bitmap_tree&) = delete;

    /// The tree left behind has no positions.
    constexpr bitmap_tree(bitmap_tree&& other) noexcept {
        *this = static_cast<bitmap_tree&&>(other);
    }
    constexpr bitmap_tree& operator=(bitmap_tree&& other) noexcept {
        if (this != &other) {
            for (std::size_t l = 0; l < max_levels; ++l) {
                level_[l] = other.level_[l];
                other.level_[l] = nullptr;
            }
            capacity_ = other.capacity_;
            taken_ = other.taken_;
            levels_ = other.levels_;
            first_word_ = other.first_word_;
            other.capacity_ = other.taken_ = other.levels_ = other.first_word_ = 0;
        }
        return *this;
    }

    [[nodiscard]] constexpr std::size_t capacity() const noexcept { return capacity_; }
    [[nodiscard]] constexpr std::size_t count_taken() const noexcept { return taken_; }
    [[nodiscard]] constexpr std::size_t count_free() const noexcept { return capacity_ - taken_; }
    [[nodiscard]] constexpr bool full() const noexcept { return taken_ == capacity_; }

    /// The words of the lowest level, for searches of one's own; bits past the capacity are set.
    [[nodiscard]] constexpr std::span<const word> words() const noexcept {
        return {level_[0], capacity_ == 0 ? 0 : words_above(capacity_)};
    }

    /// True if position i is taken.
    [[nodiscard]] constexpr bool test(std::size_t i) const noexcept {
        ARENITE_ASSERT(i < capacity_, "this position is beyond the capacity of the bitmap_tree");
        return (level_[0][i / 64] >> (i % 64) & 1) != 0;
    }

    /// The lowest free position, or npos.
    [[nodiscard]] ARENITE_INLINE constexpr std::size_t lowest_free() const noexcept {
        if (full())
            return npos;
        const word free = ~level_[0][first_word_];
        if (free != 0) [[likely]]
            return first_word_ * 64 + static_cast<std::size_t>(std::countr_zero(free));
        return next_free(first_word_ * 64);
    }

    /// The lowest free position at or after i, or npos.
    [[nodiscard]] constexpr std::size_t next_free(std::size_t i) const noexcept {
        if (i >= capacity_)
            return npos;
        word free = ~level_[0][i / 64] & (~word{0} << (i % 64));
        if (free != 0)
            return i / 64 * 64 + static_cast<std::size_t>(std::countr_zero(free));
        for (std::size_t l = 1; l < levels_; ++l) {
            i /= 64; // the word that has nothing more: what lies above it
            free = ~level_[l][i / 64] & (~word{1} << (i % 64));
            if (free != 0)
                return descend(l, i / 64 * 64 + static_cast<std::size_t>(std::countr_zero(free)));
        }
        return npos;
    }

    /// The highest free position, or npos. O(levels).
    [[nodiscard]] constexpr std::size_t highest_free() const noexcept {
        if (full())
            return npos;
        std::size_t i = 0;
        for (std::size_t l = levels_; l-- != 0;)
            i = i * 64 + 63 - static_cast<std::size_t>(std::countl_one(level_[l][i]));
        return i;
    }

    /// Takes a free position.
    ARENITE_INLINE constexpr void take(std::size_t i) noexcept {
        ARENITE_ASSERT(!test(i), "this position of the bitmap_tree is taken already");
        ++taken_;
        mark_up(0, i);
    }

    /// Takes the lowest free position and returns it, or npos.
    [[nodiscard]] ARENITE_INLINE constexpr std::size_t take_lowest() noexcept {
        const std::size_t i = lowest_free();
        if (i != npos) [[likely]] {
            first_word_ = i / 64;
            take(i);
        }
        return i;
    }

    /// Gives a taken position back.
    ARENITE_INLINE constexpr void give(std::size_t i) noexcept {
        ARENITE_ASSERT(test(i), "this position of the bitmap_tree is free already");
        --taken_;
        if (i / 64 < first_word_)
            first_word_ = i / 64;
        unmark_up(0, i);
    }

    /// Positions taken together: first + b for every bit b of mask.
    struct claim {
        std::size_t first;
        word mask;
    };

    /// Takes all free positions of the lowest word that has any: one walk for up to 64 positions.
    /// The mask is 0 where nothing is free.
    [[nodiscard]] constexpr claim claim_word() noexcept {
        const std::size_t i = lowest_free();
        if (i == npos)
            return {npos, 0};
        first_word_ = i / 64;
        word& w = level_[0][first_word_];
        const word mask = ~w;
        taken_ += static_cast<std::size_t>(std::popcount(mask));
        w = ~word{0};
        if (levels_ > 1)
            mark_up(1, first_word_);
        return {first_word_ * 64, mask};
    }

    /// Takes positions [first, first + count), whatever they were. Returns how many were free.
    constexpr std::size_t take_range(std::size_t first, std::size_t count) noexcept {
        if (!range_fits(first, count))
            return 0;
        const std::size_t changed = count - bits::count_set(level_[0], first, count);
        taken_ += changed;
        std::size_t end = first + count;
        for (std::size_t l = 0; l < levels_ && first < end; ++l) {
            bits::set_run(level_[l], first, end - first);
            // Words that are full now: those between, and those at the ends that became so.
            const std::size_t last = (end - 1) / 64;
            const std::size_t begin = first / 64;
            first = begin + (level_[l][begin] == ~word{0} ? 0U : 1U);
            end = last + (level_[l][last] == ~word{0} ? 1U : 0U);
        }
        return changed;
    }

    /// Gives positions [first, first + count) back, whatever they were. Returns how many were
    /// taken.
    constexpr std::size_t give_range(std::size_t first, std::size_t count) noexcept {
        if (!range_fits(first, count))
            return 0;
        const std::size_t changed = bits::count_set(level_[0], first, count);
        taken_ -= changed;
        if (first / 64 < first_word_)
            first_word_ = first / 64;
        std::size_t end = first + count;
        for (std::size_t l = 0; l < levels_; ++l) {
            bits::clear_run(level_[l], first, end - first);
            first /= 64;
            end = (end - 1) / 64 + 1;
        }
        return changed;
    }

private:
    /// Words for n bits: the bits of the level above.
    static constexpr std::size_t words_above(std::size_t n) noexcept {
        return n / 64 + (n % 64 != 0 ? 1 : 0);
    }

    /// From bit i of level l down to the lowest free position below it.
    [[nodiscard]] ARENITE_INLINE constexpr std::size_t descend(std::size_t l,
                                                               std::size_t i) const noexcept {
        while (l-- != 0)
            i = i * 64 + static_cast<std::size_t>(std::countr_one(level_[l][i]));
        return i;
    }

    /// Sets bit i of level l and, where a word becomes full, the bit of that word.
    ARENITE_INLINE constexpr void mark_up(std::size_t l, std::size_t i) noexcept {
        for (;;) {
            word& w = level_[l][i / 64];
            w |= word{1} << (i % 64);
            if (w != ~word{0} || ++l == levels_) [[likely]]
                return;
            i /= 64;
        }
    }

    /// Clears bit i of level l and, where a word was full, the bit of that word.
    ARENITE_INLINE constexpr void unmark_up(std::size_t l, std::size_t i) noexcept {
        for (;;) {
            word& w = level_[l][i / 64];
            const bool was_full = w == ~word{0};
            w &= ~(word{1} << (i % 64));
            if (!was_full || ++l == levels_) [[likely]]
                return;
            i /= 64;
        }
    }

    [[nodiscard]] constexpr bool range_fits(std::size_t first, std::size_t count) const noexcept {
        const bool fits = first <= capacity_ && count <= capacity_ - first;
        ARENITE_ASSERT(fits, "this range is beyond the capacity of the bitmap_tree");
        return fits && count != 0;
    }

    word* level_[max_levels] = {}; // [0] has a bit for each position, [levels_ - 1] is the top
    std::size_t capacity_ = 0;
    std::size_t taken_ = 0;
    std::size_t levels_ = 0;
    std::size_t first_word_ = 0; // below it nothing is free
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
