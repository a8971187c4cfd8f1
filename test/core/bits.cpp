// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/core/detail/bits.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

using namespace arenite;

namespace {

constexpr std::size_t word_count = 5;
constexpr std::size_t bit_count = word_count * 64;

/// Words and the same bits one by one.
struct both {
    std::array<detail::bits::word, word_count> words{};
    std::vector<bool> model = std::vector<bool>(bit_count);

    void set(std::size_t i, bool value) {
        model[i] = value;
        const detail::bits::word bit = detail::bits::word{1} << (i % 64);
        words[i / 64] = value ? words[i / 64] | bit : words[i / 64] & ~bit;
    }
    [[nodiscard]] bool same() const {
        for (std::size_t i = 0; i < bit_count; ++i) {
            if (((words[i / 64] >> (i % 64) & 1) != 0) != model[i])
                return false;
        }
        return true;
    }
};

/// Bits in runs of random length: nearly full and nearly empty words come about as often as mixed.
both random_bits(std::mt19937_64& random) {
    both b;
    const std::size_t longest = std::size_t{1} << (random() % 9);
    bool value = random() % 2 == 0;
    for (std::size_t i = 0; i < bit_count; value = !value) {
        for (std::size_t n = 1 + random() % longest; n != 0 && i < bit_count; --n)
            b.set(i++, value);
    }
    return b;
}

/// A random run, which may be empty and often begins or ends at a word.
std::pair<std::size_t, std::size_t> random_run(std::mt19937_64& random) {
    std::size_t first = random() % bit_count;
    std::size_t end = first + random() % (bit_count - first + 1);
    if (random() % 3 == 0)
        first = first / 64 * 64;
    if (random() % 3 == 0)
        end = end / 64 * 64;
    return {first, end < first ? first : end};
}

class bits_model : public testing::Test {
protected:
    std::uint64_t seed = std::random_device{}();
    std::mt19937_64 random{seed};
    testing::ScopedTrace trace{__FILE__, __LINE__, "seed " + std::to_string(seed)};
};

TEST(bits, low_mask_has_as_many_bits_as_asked) {
    static_assert(detail::bits::low_mask(0) == 0);
    static_assert(detail::bits::low_mask(1) == 1);
    static_assert(detail::bits::low_mask(63) == ~detail::bits::word{0} >> 1);
    static_assert(detail::bits::low_mask(64) == ~detail::bits::word{0});
}

TEST(bits, count_ones_counts_each_bit) {
    static_assert(detail::bits::count_ones(0) == 0);
    static_assert(detail::bits::count_ones(~detail::bits::word{0}) == 64);
    static_assert(detail::bits::count_ones(0x8000'0000'0000'0001) == 2);
    static_assert(detail::bits::count_ones(0x5555'5555'5555'5555) == 32);
    for (std::size_t i = 0; i < 64; ++i) {
        EXPECT_EQ(detail::bits::count_ones(detail::bits::word{1} << i), 1u);
        EXPECT_EQ(detail::bits::count_ones(~(detail::bits::word{1} << i)), 63u);
        EXPECT_EQ(detail::bits::count_ones(detail::bits::low_mask(i)), i);
    }
}

TEST(bits, run_starts_are_where_a_run_of_that_length_begins) {
    static_assert(detail::bits::run_starts(0, 1) == 0);
    static_assert(detail::bits::run_starts(0b1011'0111, 1) == 0b1011'0111);
    static_assert(detail::bits::run_starts(0b1011'0111, 2) == 0b0001'0011);
    static_assert(detail::bits::run_starts(0b1011'0111, 3) == 0b0000'0001);
    static_assert(detail::bits::run_starts(0b1011'0111, 4) == 0);
    static_assert(detail::bits::run_starts(~detail::bits::word{0}, 64) == 1);
    static_assert(detail::bits::run_starts(~detail::bits::word{0}, 63) == 3);
}

TEST_F(bits_model, runs_are_set_and_cleared_exactly) {
    for (int round = 0; round < 2000; ++round) {
        both b = random_bits(random);
        const auto [first, end] = random_run(random);
        if (first == end)
            continue; // a run has at least one bit
        const bool value = random() % 2 == 0;
        if (value)
            detail::bits::set_run(b.words.data(), first, end - first);
        else
            detail::bits::clear_run(b.words.data(), first, end - first);
        for (std::size_t i = first; i < end; ++i)
            b.model[i] = value;
        ASSERT_TRUE(b.same()) << first << " to " << end;
    }
}

TEST_F(bits_model, questions_about_a_run_are_answered_as_bit_by_bit) {
    for (int round = 0; round < 5000; ++round) {
        const both b = random_bits(random);
        const auto [first, end] = random_run(random);
        if (first == end)
            continue;
        std::size_t set = 0;
        for (std::size_t i = first; i < end; ++i)
            set += b.model[i] ? 1U : 0U;
        const std::size_t count = end - first;
        ASSERT_EQ(detail::bits::count_set(b.words.data(), first, count), set);
        ASSERT_EQ(detail::bits::all_set(b.words.data(), first, count), set == count);
        ASSERT_EQ(detail::bits::none_set(b.words.data(), first, count), set == 0);
    }
}

TEST_F(bits_model, the_next_and_the_last_are_found_as_bit_by_bit) {
    for (int round = 0; round < 5000; ++round) {
        const both b = random_bits(random);
        const auto [first, end] = random_run(random);
        std::size_t next_set = end;
        std::size_t next_clear = end;
        std::size_t last_set = end;
        for (std::size_t i = end; i-- > first;)
            (b.model[i] ? next_set : next_clear) = i;
        for (std::size_t i = first; i < end; ++i) {
            if (b.model[i])
                last_set = i;
        }
        ASSERT_EQ(detail::bits::next_set(b.words.data(), first, end), next_set);
        ASSERT_EQ(detail::bits::next_clear(b.words.data(), first, end), next_clear);
        ASSERT_EQ(detail::bits::last_set(b.words.data(), first, end), last_set);
    }
}

TEST_F(bits_model, all_clear_runs_are_found_as_bit_by_bit) {
    using runs = std::vector<std::pair<std::size_t, std::size_t>>;
    for (int round = 0; round < 5000; ++round) {
        const both b = random_bits(random);
        const auto [first, end] = random_run(random);
        runs expected;
        for (std::size_t i = first; i < end; ++i) {
            if (b.model[i])
                continue;
            if (i == first || b.model[i - 1])
                expected.emplace_back(i, i);
            expected.back().second = i + 1;
        }
        runs found;
        detail::bits::for_each_clear_run(
            b.words.data(), first, end,
            [&](std::size_t begin, std::size_t its_end) { found.emplace_back(begin, its_end); });
        ASSERT_EQ(found, expected) << first << " to " << end;
    }
}

TEST_F(bits_model, the_first_clear_run_is_found_as_bit_by_bit) {
    for (int round = 0; round < 20000; ++round) {
        const both b = random_bits(random);
        const auto [first, end] = random_run(random);
        const std::size_t count = 1 + random() % (random() % 2 == 0 ? 20 : 200);
        std::size_t expected = end;
        std::size_t run = 0;
        for (std::size_t i = first; i < end && expected == end; ++i) {
            run = b.model[i] ? 0 : run + 1;
            if (run == count)
                expected = i + 1 - count;
        }
        ASSERT_EQ(detail::bits::find_clear_run(b.words.data(), first, end, count), expected)
            << count << " in " << first << " to " << end;
    }
}

TEST_F(bits_model, ones_are_counted_as_bit_by_bit) {
    for (int round = 0; round < 5000; ++round) {
        const detail::bits::word w = round % 2 == 0 ? random() : random_bits(random).words[2];
        std::size_t expected = 0;
        for (std::size_t i = 0; i < 64; ++i)
            expected += w >> i & 1;
        ASSERT_EQ(detail::bits::count_ones(w), expected) << w;
    }
}

TEST_F(bits_model, run_starts_are_found_as_bit_by_bit) {
    for (int round = 0; round < 5000; ++round) {
        const detail::bits::word w = random_bits(random).words[1];
        const std::size_t count = 1 + random() % 64;
        detail::bits::word expected = 0;
        for (std::size_t i = 0; i + count <= 64; ++i) {
            if (((w >> i) & detail::bits::low_mask(count)) == detail::bits::low_mask(count))
                expected |= detail::bits::word{1} << i;
        }
        ASSERT_EQ(detail::bits::run_starts(w, count), expected) << w << ", " << count;
    }
}

TEST(bits, test_and_set_says_what_was_there_and_counts_modulo_a_word) {
    for (std::size_t n = 0; n < 2 * detail::bits::word_bits; ++n) {
        const detail::bits::word bit = detail::bits::word{1} << n % detail::bits::word_bits;
        detail::bits::word w = ~bit;
        EXPECT_FALSE(detail::bits::test_and_set(w, n));
        EXPECT_EQ(w, ~detail::bits::word{0});
        w = bit;
        EXPECT_TRUE(detail::bits::test_and_set(w, n));
        EXPECT_EQ(w, bit);
    }
}

TEST(bits, test_and_clear_says_what_was_there_and_counts_modulo_a_word) {
    for (std::size_t n = 0; n < 2 * detail::bits::word_bits; ++n) {
        const detail::bits::word bit = detail::bits::word{1} << n % detail::bits::word_bits;
        detail::bits::word w = ~detail::bits::word{0};
        EXPECT_TRUE(detail::bits::test_and_clear(w, n));
        EXPECT_EQ(w, ~bit);
        EXPECT_FALSE(detail::bits::test_and_clear(w, n));
        EXPECT_EQ(w, ~bit);
    }
}

TEST(bits, a_run_ends_at_a_word_that_has_none_of_it) {
    const detail::bits::word words[]{~detail::bits::word{0} << 62, 0, 7, ~detail::bits::word{0}};
    EXPECT_EQ(detail::bits::find_set_run(words, 0, 256, 2), 62u);
    EXPECT_EQ(detail::bits::find_set_run(words, 0, 256, 3), 128u);
    EXPECT_EQ(detail::bits::find_set_run(words, 0, 256, 4), 192u);
    EXPECT_EQ(detail::bits::find_set_run(words, 0, 192, 4), 192u);
}

} // namespace
