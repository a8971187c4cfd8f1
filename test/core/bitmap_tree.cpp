// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/core/alignment.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/detail/bitmap_tree.hpp>
#include <arenite/core/detail/bits.hpp>
#include <arenite/os/detail/platform.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

using namespace arenite;

static_assert(!std::is_copy_constructible_v<detail::bitmap_tree>);
static_assert(std::is_nothrow_move_constructible_v<detail::bitmap_tree>);
static_assert(std::is_trivially_destructible_v<detail::bitmap_tree>);

namespace {

constexpr std::size_t npos = detail::bitmap_tree::npos;

/// A tree with words of its own, which held something else before.
struct tree_with_words {
    explicit tree_with_words(std::size_t capacity)
        : words(detail::bitmap_tree::words_for(capacity) + 2, 0xA5A5'A5A5'A5A5'A5A5),
          tree{capacity, {words.data() + 1, words.size() - 2}} {}

    /// Nothing was written beside the words.
    [[nodiscard]] bool within_bounds() const {
        return words.front() == 0xA5A5'A5A5'A5A5'A5A5 && words.back() == 0xA5A5'A5A5'A5A5'A5A5;
    }

    std::vector<detail::bitmap_tree::word> words;
    detail::bitmap_tree tree;
};

/// Words of a level, which has a bit for each word of the next.
constexpr std::size_t words_in_level(std::size_t capacity, std::size_t level) {
    return (detail::bitmap_tree::bits_in_level(capacity, level) + 63) / 64;
}

// ---- shape --------------------------------------------------------------------------------------

// The seed's table for a heap of 2^26 positions (Tapia, 3.2) names five levels:
//
//     level        0      1       2         3         4
//     bits        16   1024   65536   1048576   67108864
//     words        1     16    1024     65536    1048576
//
// By its rule, a bit of each level a word of the level below, its figures hold from below up to the
// bits of level 3. There the table goes astray: 2^20 bits are 2^14 words of 64, not 65536 = 2^16,
// and all above inherits the factor of 4. (The upper three rows fit a heap of 2^28 positions.) The
// top has 4 bits in use, not 16; there are five levels all the same.
TEST(bitmap_tree, has_the_levels_of_the_seeds_table_for_2_to_the_26) {
    constexpr std::size_t capacity = std::size_t{1} << 26;
    static_assert(detail::bitmap_tree::levels_for(capacity) == 5);

    static_assert(detail::bitmap_tree::bits_in_level(capacity, 4) ==
                  67'108'864);                                                   // as the seed says
    static_assert(words_in_level(capacity, 4) == 1'048'576);                     // as the seed says
    static_assert(detail::bitmap_tree::bits_in_level(capacity, 3) == 1'048'576); // as the seed says
    static_assert(words_in_level(capacity, 3) == 16'384);                        // the seed: 65536
    static_assert(detail::bitmap_tree::bits_in_level(capacity, 2) == 16'384);    // the seed: 65536
    static_assert(words_in_level(capacity, 2) == 256);                           // the seed: 1024
    static_assert(detail::bitmap_tree::bits_in_level(capacity, 1) == 256);       // the seed: 1024
    static_assert(words_in_level(capacity, 1) == 4);                             // the seed: 16
    static_assert(detail::bitmap_tree::bits_in_level(capacity, 0) == 4);         // the seed: 16
    static_assert(words_in_level(capacity, 0) == 1);                             // as the seed says

    static_assert(detail::bitmap_tree::words_for(capacity) == 1'048'576 + 16'384 + 256 + 4 + 1);
}

TEST(bitmap_tree, the_seeds_upper_levels_are_those_of_2_to_the_28) {
    constexpr std::size_t capacity = std::size_t{1} << 28;
    static_assert(detail::bitmap_tree::levels_for(capacity) == 5);
    static_assert(detail::bitmap_tree::bits_in_level(capacity, 0) == 16);
    static_assert(words_in_level(capacity, 0) == 1);
    static_assert(detail::bitmap_tree::bits_in_level(capacity, 1) == 1024);
    static_assert(words_in_level(capacity, 1) == 16);
    static_assert(detail::bitmap_tree::bits_in_level(capacity, 2) == 65'536);
    static_assert(words_in_level(capacity, 2) == 1024);
    static_assert(words_in_level(capacity, 3) == 65'536);
}

TEST(bitmap_tree, each_bit_of_a_level_is_a_word_of_the_next) {
    for (std::size_t capacity :
         {std::size_t{1}, std::size_t{63}, std::size_t{64}, std::size_t{65}, std::size_t{4096},
          std::size_t{4097}, (std::size_t{1} << 18) + 1, (std::size_t{1} << 26),
          (std::size_t{1} << 31) - 1, detail::bitmap_tree::max_capacity}) {
        const std::size_t levels = detail::bitmap_tree::levels_for(capacity);
        std::size_t words = 0;
        for (std::size_t l = 0; l < levels; ++l) {
            words += words_in_level(capacity, l);
            EXPECT_GE(words_in_level(capacity, l) * 64,
                      detail::bitmap_tree::bits_in_level(capacity, l));
            EXPECT_LT((words_in_level(capacity, l) - 1) * 64,
                      detail::bitmap_tree::bits_in_level(capacity, l));
            if (l + 1 < levels) {
                EXPECT_EQ(detail::bitmap_tree::bits_in_level(capacity, l),
                          words_in_level(capacity, l + 1));
            }
        }
        EXPECT_EQ(words_in_level(capacity, 0), 1u);
        EXPECT_EQ(detail::bitmap_tree::bits_in_level(capacity, levels - 1), capacity);
        EXPECT_EQ(detail::bitmap_tree::words_for(capacity), words);
        EXPECT_EQ(detail::bitmap_tree::bytes_for(capacity), words * 8);
    }
    static_assert(detail::bitmap_tree::levels_for(1) == 1);
    static_assert(detail::bitmap_tree::levels_for(64) == 1);
    static_assert(detail::bitmap_tree::levels_for(65) == 2);
    static_assert(detail::bitmap_tree::levels_for(4097) == 3);
    static_assert(detail::bitmap_tree::levels_for(detail::bitmap_tree::max_capacity) ==
                  detail::bitmap_tree::max_levels);
}

// ---- single positions ---------------------------------------------------------------------------

TEST(bitmap_tree, one_without_positions_is_full) {
    detail::bitmap_tree t;
    EXPECT_EQ(t.capacity(), 0u);
    EXPECT_TRUE(t.full());
    EXPECT_EQ(t.lowest_free(), npos);
    EXPECT_EQ(t.take_lowest(), npos);
    EXPECT_EQ(t.next_free(0), npos);
    EXPECT_EQ(t.claim_word().mask, 0u);
    EXPECT_TRUE(t.words().empty());
}

TEST(bitmap_tree, can_be_used_at_compile_time) {
    constexpr std::size_t third = [] {
        detail::bitmap_tree::word words[detail::bitmap_tree::words_for(100)] = {};
        detail::bitmap_tree t{100, words};
        t.take_range(0, 80);
        t.give(3);
        t.give(77);
        static_cast<void>(t.take_lowest());
        return t.take_lowest();
    }();
    static_assert(third == 77);
}

class bitmap_tree_of : public testing::TestWithParam<std::size_t> {};

TEST_P(bitmap_tree_of, gives_each_position_once_lowest_first_and_then_none) {
    const std::size_t capacity = GetParam();
    tree_with_words t{capacity};
    for (std::size_t i = 0; i < capacity; ++i) {
        ASSERT_EQ(t.tree.count_taken(), i);
        ASSERT_EQ(t.tree.count_free(), capacity - i);
        ASSERT_EQ(t.tree.take_lowest(), i);
    }
    EXPECT_TRUE(t.tree.full());
    EXPECT_EQ(t.tree.take_lowest(), npos);
    EXPECT_EQ(t.tree.lowest_free(), npos);
    EXPECT_EQ(t.tree.next_free(0), npos);
    EXPECT_EQ(t.tree.claim_word().mask, 0u);
    EXPECT_EQ(t.tree.count_taken(), capacity);
    EXPECT_TRUE(t.within_bounds());
}

TEST_P(bitmap_tree_of, a_full_one_finds_each_position_that_comes_back) {
    const std::size_t capacity = GetParam();
    tree_with_words t{capacity};
    EXPECT_EQ(t.tree.take_range(0, capacity), capacity);
    for (std::size_t i = 0; i < capacity; i += 1 + capacity / 300) {
        t.tree.give(i);
        ASSERT_FALSE(t.tree.test(i));
        ASSERT_EQ(t.tree.count_free(), 1u);
        ASSERT_EQ(t.tree.lowest_free(), i);
        ASSERT_EQ(t.tree.next_free(0), i);
        ASSERT_EQ(t.tree.next_free(i), i);
        ASSERT_EQ(t.tree.next_free(i + 1), npos);
        ASSERT_EQ(t.tree.take_lowest(), i);
        ASSERT_TRUE(t.tree.full());
    }
    EXPECT_TRUE(t.within_bounds());
}

TEST_P(bitmap_tree_of, whole_words_are_claimed_until_nothing_is_left) {
    const std::size_t capacity = GetParam();
    tree_with_words t{capacity};
    std::size_t claimed = 0;
    for (std::size_t base = 0; base < capacity; base += 64) {
        const detail::bitmap_tree::claim c = t.tree.claim_word();
        ASSERT_EQ(c.first, base);
        ASSERT_EQ(c.mask, detail::bits::low_mask(std::min<std::size_t>(64, capacity - base)));
        claimed += static_cast<std::size_t>(std::popcount(c.mask));
        ASSERT_EQ(t.tree.count_taken(), claimed);
    }
    EXPECT_EQ(claimed, capacity);
    EXPECT_EQ(t.tree.claim_word().mask, 0u);
    t.tree.give(capacity - 1);
    const detail::bitmap_tree::claim last = t.tree.claim_word();
    EXPECT_EQ(last.first, (capacity - 1) / 64 * 64);
    EXPECT_EQ(last.mask, detail::bitmap_tree::word{1} << ((capacity - 1) % 64));
    EXPECT_TRUE(t.tree.full());
    EXPECT_TRUE(t.within_bounds());
}

TEST_P(bitmap_tree_of, a_move_takes_the_positions_along) {
    tree_with_words t{GetParam()};
    EXPECT_EQ(t.tree.take_lowest(), 0u);
    detail::bitmap_tree moved{std::move(t.tree)};
    EXPECT_EQ(moved.count_taken(), 1u);
    EXPECT_TRUE(moved.test(0));
    EXPECT_EQ(t.tree.capacity(), 0u); // NOLINT(bugprone-use-after-move): this is the promise
    t.tree = std::move(moved);
    EXPECT_EQ(t.tree.capacity(), GetParam());
    EXPECT_EQ(t.tree.count_taken(), 1u);
}

/// Every operation beside std::vector<bool>.
TEST_P(bitmap_tree_of, behaves_as_a_row_of_flags) {
    const std::uint64_t seed = std::random_device{}();
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random{seed};
    const std::size_t capacity = GetParam();
    tree_with_words t{capacity};
    detail::bitmap_tree& tree = t.tree;
    std::vector<bool> model(capacity, false);
    std::size_t taken = 0;

    const auto next = [&](std::size_t i, bool value) {
        while (i < capacity && model[i] != value)
            ++i;
        return i < capacity ? i : npos;
    };
    const auto set = [&](std::size_t i, bool value) {
        taken += value ? 1U : 0U;
        taken -= model[i] ? 1U : 0U;
        model[i] = value;
    };
    const int steps = capacity > 100'000 ? 1500 : 6000;
    for (int step = 0; step < steps; ++step) {
        const std::size_t i = random() % capacity;
        // Runs of all lengths, often ending at words; in turns more is taken and more is given.
        std::size_t n = random() % (std::size_t{1} << random() % 20) % (capacity - i + 1);
        std::size_t first = i;
        if (random() % 4 == 0)
            first = i / 64 * 64;
        if (random() % 4 == 0)
            n = (first + n) / 64 * 64 > first ? (first + n) / 64 * 64 - first : 0;
        switch (random() % 9) {
        case 0: {
            const std::size_t lowest = next(0, false);
            ASSERT_EQ(tree.take_lowest(), lowest);
            if (lowest != npos)
                set(lowest, true);
            break;
        }
        case 1:
            if (!model[i]) {
                tree.take(i);
                set(i, true);
            }
            break;
        case 2:
            if (model[i]) {
                tree.give(i);
                set(i, false);
            }
            break;
        case 3:
        case 4: {
            const bool value = random() % 4 < (step / 300 % 2 == 0 ? 3U : 1U);
            const std::size_t before = taken;
            for (std::size_t k = first; k < first + n; ++k)
                set(k, value);
            if (value)
                ASSERT_EQ(tree.take_range(first, n), taken - before);
            else
                ASSERT_EQ(tree.give_range(first, n), before - taken);
            break;
        }
        case 5: {
            const detail::bitmap_tree::claim c = tree.claim_word();
            const std::size_t lowest = next(0, false);
            if (lowest == npos) {
                ASSERT_EQ(c.mask, 0u);
                break;
            }
            ASSERT_EQ(c.first, lowest / 64 * 64);
            for (std::size_t b = 0; b < 64; ++b) {
                const std::size_t k = c.first + b;
                ASSERT_EQ((c.mask >> b & 1) != 0, k < capacity && !model[k]);
                if (k < capacity)
                    set(k, true);
            }
            break;
        }
        case 6:
            ASSERT_EQ(tree.next_free(i), next(i, false));
            break;
        default:
            ASSERT_EQ(tree.test(i), model[i]);
            ASSERT_EQ(tree.lowest_free(), next(0, false));
        }
        ASSERT_EQ(tree.count_taken(), taken);
        ASSERT_EQ(tree.full(), taken == capacity);
    }
    for (std::size_t k = 0; k < capacity; ++k)
        ASSERT_EQ(tree.test(k), model[k]) << k;
    // The upper levels say what a tree made anew would say.
    tree_with_words fresh{capacity};
    for (std::size_t k = 0; k < capacity; ++k) {
        if (model[k])
            fresh.tree.take(k);
    }
    EXPECT_EQ(t.words, fresh.words);
    EXPECT_TRUE(t.within_bounds());
}

INSTANTIATE_TEST_SUITE_P(capacities, bitmap_tree_of,
                         testing::Values(1, 2, 63, 64, 65, 4095, 4096, 4097, 5000,
                                         (std::size_t{1} << 18) + 1),
                         testing::PrintToStringParamName());

// ---- the largest --------------------------------------------------------------------------------

/// 2^32 positions in memory that is committed as it is touched.
class bitmap_tree_largest : public testing::Test {
protected:
    using platform = detail::os::platform;

    void SetUp() override {
        bytes_ = align_up(detail::bitmap_tree::bytes_for(detail::bitmap_tree::max_capacity),
                          platform::page_bytes());
        p_ = platform::reserve(bytes_, platform::page_bytes());
        if (p_ == nullptr || !platform::commit(p_, bytes_))
            GTEST_SKIP() << "no address space for a tree of 2^32 positions";
        platform::advise_huge(p_, bytes_, false);
        tree = detail::bitmap_tree{detail::bitmap_tree::max_capacity,
                                   {static_cast<detail::bitmap_tree::word*>(p_), bytes_ / 8},
                                   detail::bitmap_tree::contents::zero};
    }
    void TearDown() override {
        if (p_ != nullptr)
            platform::release(p_, bytes_);
    }
    [[nodiscard]] std::size_t resident() const { return platform::resident_bytes(p_, bytes_); }

    detail::bitmap_tree tree;

private:
    void* p_ = nullptr;
    std::size_t bytes_ = 0;
};

TEST_F(bitmap_tree_largest, touches_only_the_words_it_needs) {
    EXPECT_LE(resident(), 6 * platform::page_bytes());
    EXPECT_EQ(tree.take_lowest(), 0u);
    tree.take(detail::bitmap_tree::max_capacity - 1);
    tree.take(detail::bitmap_tree::max_capacity / 2);
    EXPECT_EQ(tree.take_lowest(), 1u);
    EXPECT_EQ(tree.count_free(), detail::bitmap_tree::max_capacity - 4);
    EXPECT_LE(resident(), 9 * platform::page_bytes());
}

TEST_F(bitmap_tree_largest, is_exact_at_its_very_end) {
    constexpr std::size_t n = detail::bitmap_tree::max_capacity;
    EXPECT_EQ(tree.take_range(n - 100, 100), 100u);
    EXPECT_EQ(tree.next_free(n - 101), n - 101);
    EXPECT_EQ(tree.next_free(n - 100), npos);
    EXPECT_TRUE(tree.test(n - 100));
    tree.give(n - 1);
    EXPECT_EQ(tree.next_free(n - 100), n - 1);
    EXPECT_EQ(tree.next_free(n), npos);
    EXPECT_FALSE(tree.test(n - 1));
    EXPECT_EQ(tree.give_range(n - 100, 100), 99u);
    EXPECT_EQ(tree.count_taken(), 0u);
}

TEST_F(bitmap_tree_largest, behaves_as_a_set_of_numbers) {
    const std::uint64_t seed = std::random_device{}();
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 random{seed};
    std::set<std::size_t> model; // of the taken ones
    // Around a few places, so that words and the words above them become full there.
    std::size_t places[4];
    for (std::size_t& place : places)
        place = random() % (detail::bitmap_tree::max_capacity - 20'000);
    places[0] = 0;
    places[1] = detail::bitmap_tree::max_capacity - 20'000;
    for (int step = 0; step < 3000; ++step) {
        const std::size_t first = places[random() % 4] + random() % 10'000;
        const std::size_t n = random() % (step % 10 == 0 ? 10'000 : 100);
        switch (random() % 3) {
        case 0:
            for (std::size_t k = first; k < first + n; ++k)
                model.insert(k);
            tree.take_range(first, n);
            break;
        case 1:
            model.erase(model.lower_bound(first), model.lower_bound(first + n));
            tree.give_range(first, n);
            break;
        default: {
            std::size_t free = first;
            for (auto i = model.lower_bound(first); i != model.end() && *i == free; ++i)
                ++free;
            ASSERT_EQ(tree.next_free(first), free);
            std::size_t lowest = 0;
            for (auto i = model.begin(); i != model.end() && *i == lowest; ++i)
                ++lowest;
            ASSERT_EQ(tree.lowest_free(), lowest);
        }
        }
        ASSERT_EQ(tree.count_taken(), model.size());
    }
}

TEST_F(bitmap_tree_largest, a_long_run_fills_words_of_the_upper_levels) {
    constexpr std::size_t band = std::size_t{1} << 24;
    EXPECT_EQ(tree.take_range(5, band), band);
    EXPECT_EQ(tree.next_free(5), 5 + band);
    EXPECT_EQ(tree.lowest_free(), 0u);
    tree.take_range(0, 5);
    EXPECT_EQ(tree.lowest_free(), 5 + band);
    EXPECT_EQ(tree.give_range(band / 2, 1), 1u);
    EXPECT_EQ(tree.take_lowest(), band / 2);
    EXPECT_EQ(tree.take_lowest(), 5 + band);
}

// ---- misuse -------------------------------------------------------------------------------------

TEST(bitmap_tree, an_empty_range_changes_nothing) {
    tree_with_words t{128};
    EXPECT_EQ(t.tree.take_range(0, 0), 0u);
    EXPECT_EQ(t.tree.take_range(128, 0), 0u);
    EXPECT_EQ(t.tree.give_range(128, 0), 0u);
    EXPECT_EQ(t.tree.count_taken(), 0u);
}

TEST(bitmap_tree, a_range_beyond_the_capacity_changes_nothing) {
    if constexpr (!checks_enabled) {
        tree_with_words t{100};
        EXPECT_EQ(t.tree.take_range(50, 51), 0u);
        EXPECT_EQ(t.tree.take_range(101, 0), 0u);
        EXPECT_EQ(t.tree.take_range(2, npos), 0u);
        EXPECT_EQ(t.tree.give_range(npos, 2), 0u);
        EXPECT_EQ(t.tree.count_taken(), 0u);
        EXPECT_TRUE(t.within_bounds());
    }
}

TEST(bitmap_tree_death, misuse_is_found_in_checked_builds) {
    if constexpr (checks_enabled) {
        tree_with_words t{100};
        t.tree.take(7);
        EXPECT_DEATH(t.tree.take(7), "taken already");
        EXPECT_DEATH(t.tree.give(8), "free already");
        EXPECT_DEATH(t.tree.take(100), "beyond the capacity");
        EXPECT_DEATH(static_cast<void>(t.tree.test(npos)), "beyond the capacity");
        EXPECT_DEATH(t.tree.take_range(50, 51), "beyond the capacity");
        EXPECT_DEATH(t.tree.give_range(npos, 2), "beyond the capacity");
        detail::bitmap_tree::word one[1] = {};
        EXPECT_DEATH((detail::bitmap_tree{0, one}), "1 to 2\\^32");
        EXPECT_DEATH((detail::bitmap_tree{detail::bitmap_tree::max_capacity + 1, one}),
                     "1 to 2\\^32");
        EXPECT_DEATH((detail::bitmap_tree{65, one}), "words_for");
    }
}

TEST(bitmap_tree, the_highest_free_position_is_found_from_the_top) {
    for (const std::size_t capacity : {1u, 64u, 65u, 4096u, 5000u}) {
        std::vector<detail::bitmap_tree::word> words(detail::bitmap_tree::words_for(capacity));
        detail::bitmap_tree tree{capacity, words};
        for (std::size_t i = capacity; i-- != 0;) {
            ASSERT_EQ(tree.highest_free(), i) << capacity;
            tree.take(i);
        }
        EXPECT_EQ(tree.highest_free(), detail::bitmap_tree::npos);
        tree.give(capacity / 2);
        EXPECT_EQ(tree.highest_free(), capacity / 2);
    }
}

} // namespace
