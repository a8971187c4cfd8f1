// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>

// Runs of bits in arrays of 64-bit words. Bit i of an array is bit i % 64 of word i / 64; positions
// and counts are in bits, and a run has at least one. Everything here is O(count / 64), without
// allocation, and safe to inline.

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {
namespace bits {

using word = std::uint64_t;
inline constexpr std::size_t word_bits = 64;

/// The lowest `count` bits set; count is 0 to 64.
[[nodiscard]] constexpr word low_mask(std::size_t count) noexcept {
    return count >= word_bits ? ~word{0} : (word{1} << count) - 1;
}

/// Bits that are set. Without a call, also where the machine is not known to have an instruction.
[[nodiscard]] constexpr std::size_t count_ones(word w) noexcept {
    constexpr word all = ~word{0};
    w -= (w >> 1) & (all / 3);
    w = (w & (all / 15 * 3)) + ((w >> 2) & (all / 15 * 3));
    w = (w + (w >> 4)) & (all / 255 * 15);
    return static_cast<std::size_t>((w * (all / 255)) >> 56);
}

/// Sets bit n modulo 64; true if it was set, and then nothing is written.
[[nodiscard]] ARENITE_INLINE bool test_and_set(word& w, std::size_t n) noexcept {
    word now = w;
#if defined(__x86_64__) && defined(__GCC_ASM_FLAG_OUTPUTS__)
    bool was_set; // one instruction, which g++ 12 does not find
    __asm__("btsq %2, %1" : "=@ccc"(was_set), "+r"(now) : "r"(n));
#else
    const bool was_set = (now >> n % word_bits & 1) != 0;
    now |= word{1} << n % word_bits;
#endif
    if (was_set) [[unlikely]]
        return true;
    w = now;
    return false;
}

/// Clears bit n modulo 64; true if it was set, else nothing is written.
[[nodiscard]] ARENITE_INLINE bool test_and_clear(word& w, std::size_t n) noexcept {
    word now = w;
#if defined(__x86_64__) && defined(__GCC_ASM_FLAG_OUTPUTS__)
    bool was_set;
    __asm__("btrq %2, %1" : "=@ccc"(was_set), "+r"(now) : "r"(n));
#else
    const bool was_set = (now >> n % word_bits & 1) != 0;
    now &= ~(word{1} << n % word_bits);
#endif
    if (!was_set) [[unlikely]]
        return false;
    w = now;
    return true;
}

/// Calls f(word&, mask) for each word that the run touches, lowest first.
template <class Word, class F>
ARENITE_INLINE constexpr void for_each_part(Word* words, std::size_t first, std::size_t count,
                                            F f) {
    Word* w = words + first / word_bits;
    const std::size_t shift = first % word_bits;
    if (count <= word_bits - shift) [[likely]] {
        f(*w, low_mask(count) << shift);
        return;
    }
    f(*w++, ~word{0} << shift);
    count -= word_bits - shift;
    for (; count >= word_bits; count -= word_bits)
        f(*w++, ~word{0});
    if (count != 0)
        f(*w, low_mask(count));
}

/// Sets the run.
ARENITE_INLINE constexpr void set_run(word* words, std::size_t first, std::size_t count) noexcept {
    for_each_part(words, first, count, [](word& w, word mask) { w |= mask; });
}

/// Clears the run.
ARENITE_INLINE constexpr void clear_run(word* words, std::size_t first,
                                        std::size_t count) noexcept {
    for_each_part(words, first, count, [](word& w, word mask) { w &= ~mask; });
}

/// True if every bit of the run is set.
[[nodiscard]] constexpr bool all_set(const word* words, std::size_t first,
                                     std::size_t count) noexcept {
    word missing = 0;
    for_each_part(words, first, count, [&](word w, word mask) { missing |= ~w & mask; });
    return missing == 0;
}

/// True if no bit of the run is set.
[[nodiscard]] constexpr bool none_set(const word* words, std::size_t first,
                                      std::size_t count) noexcept {
    word found = 0;
    for_each_part(words, first, count, [&](word w, word mask) { found |= w & mask; });
    return found == 0;
}

/// Bits of the run that are set.
[[nodiscard]] constexpr std::size_t count_set(const word* words, std::size_t first,
                                              std::size_t count) noexcept {
    std::size_t found = 0;
    for_each_part(words, first, count, [&](word w, word mask) { found += count_ones(w & mask); });
    return found;
}

/// Position of the first set bit at or after `first`, or `end`.
[[nodiscard]] constexpr std::size_t next_set(const word* words, std::size_t first,
                                             std::size_t end) noexcept {
    if (first >= end)
        return end;
    std::size_t i = first / word_bits;
    word w = words[i] & (~word{0} << (first % word_bits));
    const std::size_t last = (end - 1) / word_bits;
    while (w == 0) {
        if (i == last)
            return end;
        w = words[++i];
    }
    const std::size_t found = i * word_bits + static_cast<std::size_t>(std::countr_zero(w));
    return found < end ? found : end;
}

/// Position of the first clear bit at or after `first`, or `end`.
[[nodiscard]] constexpr std::size_t next_clear(const word* words, std::size_t first,
                                               std::size_t end) noexcept {
    if (first >= end)
        return end;
    std::size_t i = first / word_bits;
    word w = ~words[i] & (~word{0} << (first % word_bits));
    const std::size_t last = (end - 1) / word_bits;
    while (w == 0) {
        if (i == last)
            return end;
        w = ~words[++i];
    }
    const std::size_t found = i * word_bits + static_cast<std::size_t>(std::countr_zero(w));
    return found < end ? found : end;
}

/// Position of the last set bit in [first, end), or `end`.
[[nodiscard]] constexpr std::size_t last_set(const word* words, std::size_t first,
                                             std::size_t end) noexcept {
    if (first >= end)
        return end;
    std::size_t i = (end - 1) / word_bits;
    word w = words[i] & low_mask(end - i * word_bits);
    const std::size_t lowest = first / word_bits;
    while (w == 0) {
        if (i == lowest)
            return end;
        w = words[--i];
    }
    const std::size_t found =
        i * word_bits + word_bits - 1 - static_cast<std::size_t>(std::countl_zero(w));
    return found >= first ? found : end;
}

/// Calls f(begin, end) for each run of clear bits in [first, end), lowest first. Looks at each word
/// once.
template <class F>
constexpr void for_each_clear_run(const word* words, std::size_t first, std::size_t end, F f) {
    if (first >= end)
        return;
    std::size_t i = first / word_bits;
    const std::size_t last = (end - 1) / word_bits;
    std::size_t begin = end; // of the run that is open
    bool is_open = false;
    word before = 1; // the bit below word i; what lies outside counts as set
    word w = words[i] | low_mask(first % word_bits);
    for (;;) {
        if (i == last)
            w |= ~low_mask(end - i * word_bits);
        word changes = w ^ (w << 1 | before);
        before = w >> (word_bits - 1);
        for (; changes != 0; changes &= changes - 1) {
            const std::size_t at =
                i * word_bits + static_cast<std::size_t>(std::countr_zero(changes));
            if (is_open)
                f(begin, at);
            begin = at;
            is_open = !is_open;
        }
        if (i == last)
            break;
        w = words[++i];
    }
    if (is_open)
        f(begin, end);
}

/// The positions in w at which a run of `count` (1 to 64) set bits begins.
[[nodiscard]] constexpr word run_starts(word w, std::size_t count) noexcept {
    std::size_t have = 1; // w holds the starts of runs of `have`
    for (; have < count - have; have *= 2)
        w &= w >> have;
    return w & w >> (count - have);
}

/// Start of the first run of at least `count` (1 or more) bits that are set in `words` after an
/// exclusive or with `flip`, in [first, end), or `end`. Looks at each word once.
[[nodiscard]] constexpr std::size_t find_run(const word* words, std::size_t first, std::size_t end,
                                             std::size_t count, word flip) noexcept {
    if (first >= end)
        return end;
    std::size_t i = first / word_bits;
    const std::size_t last = (end - 1) / word_bits;
    std::size_t before = 0; // bits of the run directly below word i
    word w = (words[i] ^ flip) & (~word{0} << (first % word_bits));
    for (;;) {
        if (i == last)
            w &= low_mask(end - i * word_bits);
        if (w == ~word{0}) {
            before += word_bits;
            if (before >= count)
                return (i + 1) * word_bits - before;
        } else if (w == 0) {
            before = 0;
        } else {
            if (before + static_cast<std::size_t>(std::countr_one(w)) >= count)
                return i * word_bits - before;
            if (count < word_bits) {
                if (const word starts = run_starts(w, count); starts != 0)
                    return i * word_bits + static_cast<std::size_t>(std::countr_zero(starts));
            }
            before = static_cast<std::size_t>(std::countl_one(w));
        }
        if (i == last)
            return end;
        w = words[++i] ^ flip;
    }
}

/// Start of the first run of at least `count` (1 or more) clear bits in [first, end), or `end`.
[[nodiscard]] constexpr std::size_t find_clear_run(const word* words, std::size_t first,
                                                   std::size_t end, std::size_t count) noexcept {
    return find_run(words, first, end, count, ~word{0});
}

/// Start of the first run of at least `count` (1 or more) set bits in [first, end), or `end`.
[[nodiscard]] constexpr std::size_t find_set_run(const word* words, std::size_t first,
                                                 std::size_t end, std::size_t count) noexcept {
    return find_run(words, first, end, count, 0);
}

} // namespace bits
} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
