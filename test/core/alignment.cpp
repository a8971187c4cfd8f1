// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/core/alignment.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <limits>

using namespace arenite;

namespace {

TEST(alignment, only_powers_of_two_are_alignments) {
    for (std::size_t shift = 0; shift < std::numeric_limits<std::size_t>::digits; ++shift)
        EXPECT_TRUE(is_alignment(std::size_t{1} << shift));
    for (std::size_t value : {std::size_t{0}, std::size_t{3}, std::size_t{6}, std::size_t{12},
                              std::size_t{4097}, std::numeric_limits<std::size_t>::max()})
        EXPECT_FALSE(is_alignment(value)) << value;
}

TEST(alignment, the_default_is_enough_for_every_fundamental_type) {
    static_assert(is_alignment(default_alignment));
    static_assert(default_alignment >= alignof(long double));
    static_assert(default_alignment >= alignof(void*));
    static_assert(default_alignment >= alignof(unsigned long long));
}

TEST(alignment, align_up_and_down_enclose_the_value) {
    for (std::size_t alignment : {1u, 2u, 8u, 16u, 4096u}) {
        for (std::size_t value = 0; value < 200; ++value) {
            const std::size_t up = align_up(value, alignment);
            const std::size_t down = align_down(value, alignment);
            EXPECT_EQ(up % alignment, 0u);
            EXPECT_EQ(down % alignment, 0u);
            EXPECT_LE(down, value);
            EXPECT_GE(up, value);
            EXPECT_LT(up - value, alignment);
            EXPECT_LT(value - down, alignment);
        }
    }
}

TEST(alignment, align_up_wraps_to_zero_past_the_largest_size) {
    static_assert(align_up(std::numeric_limits<std::size_t>::max(), 16) == 0);
}

TEST(alignment, padding_leads_to_the_next_multiple) {
    alignas(64) std::byte buffer[128];
    for (std::size_t offset = 0; offset < 64; ++offset) {
        const std::size_t padding = padding_for(buffer + offset, 64);
        EXPECT_LT(padding, 64u);
        EXPECT_TRUE(is_aligned(buffer + offset + padding, 64));
        EXPECT_EQ(padding == 0, is_aligned(buffer + offset, 64));
    }
}

TEST(alignment, address_of_is_the_number_of_the_pointer) {
    int x[2];
    EXPECT_EQ(address_of(&x[1]) - address_of(&x[0]), sizeof(int));
    EXPECT_EQ(address_of(nullptr), 0u);
}

struct three_words {
    void* words[3];
};
struct two_long {
    alignas(default_alignment) char bytes[2 * default_alignment];
};
struct odd {
    char bytes[7];
};

TEST(alignment, natural_alignment_is_enough_for_every_object_of_a_size_and_no_more) {
    static_assert(natural_alignment(1) == 1);
    static_assert(natural_alignment(24) == 8);
    static_assert(natural_alignment(48) == default_alignment);
    static_assert(natural_alignment(4096) == default_alignment);
    static_assert(natural_alignment(0) == 1);
    static_assert(natural_alignment(sizeof(three_words)) >= alignof(three_words));
    static_assert(natural_alignment(sizeof(two_long)) == alignof(two_long));
    static_assert(natural_alignment(sizeof(odd)) == alignof(odd));
    static_assert(natural_alignment(sizeof(std::max_align_t)) == alignof(std::max_align_t));
    for (std::size_t bytes = 1; bytes < 1000; ++bytes) {
        const std::size_t a = natural_alignment(bytes);
        EXPECT_TRUE(is_alignment(a) && bytes % a == 0 && a <= default_alignment) << bytes;
        EXPECT_TRUE(a == default_alignment || bytes % (2 * a) != 0) << bytes;
    }
    EXPECT_EQ(natural_alignment(std::numeric_limits<std::size_t>::max()), 1U);
}

} // namespace
