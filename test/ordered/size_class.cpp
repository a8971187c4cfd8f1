// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/core/alignment.hpp>
#include <arenite/ordered/detail/size_class.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>

#include "support/addresses.hpp"

using namespace arenite;

namespace {

constexpr std::size_t size_max = std::numeric_limits<std::size_t>::max();

TEST(size_class, slots_are_those_of_the_picture) {
    unsigned number = 0;
    for (std::size_t bytes = 16; bytes <= 128; bytes += 8)
        EXPECT_EQ(detail::size_class::slot_bytes(number++), bytes);
    for (std::size_t from = 128; from < 8192; from *= 2)
        for (std::size_t step = 1; step <= 8; ++step)
            EXPECT_EQ(detail::size_class::slot_bytes(number++), from + step * from / 8);
    EXPECT_EQ(number, detail::size_class::count);
}

TEST(size_class, each_size_has_the_smallest_slot_that_holds_it) {
    unsigned smallest = 0;
    for (std::size_t bytes = 0; bytes <= detail::size_class::largest_bytes; ++bytes) {
        while (detail::size_class::slot_bytes(smallest) < bytes)
            ++smallest;
        ASSERT_EQ(detail::size_class::computed(bytes), smallest) << bytes;
        ASSERT_EQ(detail::size_class::of(bytes, 1), smallest) << bytes;
        ASSERT_EQ(detail::size_class::of(bytes, 8), smallest) << bytes;
    }
}

TEST(size_class, little_is_left_over) {
    for (std::size_t bytes = 16; bytes <= detail::size_class::largest_bytes; ++bytes) {
        const std::size_t slot =
            detail::size_class::slot_bytes(detail::size_class::computed(bytes));
        if (bytes <= 128) {
            ASSERT_LT(slot - bytes, 8u) << bytes;
        } else {
            ASSERT_LT((slot - bytes) * 8, slot) << bytes;
        }
    }
}

TEST(size_class, each_alignment_has_the_smallest_slot_that_is_divisible_by_it) {
    for (std::size_t alignment = 1; alignment <= detail::size_class::largest_alignment;
         alignment *= 2) {
        for (std::size_t bytes = 0; bytes <= detail::size_class::largest_bytes; ++bytes) {
            unsigned number = 0;
            while (detail::size_class::slot_bytes(number) < bytes ||
                   detail::size_class::slot_bytes(number) % alignment != 0)
                ++number;
            ASSERT_EQ(detail::size_class::of(bytes, alignment), number)
                << bytes << " at " << alignment;
        }
    }
}

TEST(size_class, what_is_looked_up_is_what_is_computed) {
    for (const std::size_t alignment : {1u, 2u, 4u, 8u, 16u}) {
        for (std::size_t bytes = 0; bytes <= detail::size_class::largest_listed_bytes; ++bytes) {
            ASSERT_TRUE(detail::size_class::is_listed(bytes, alignment));
            ASSERT_EQ(detail::size_class::of_listed(bytes, alignment),
                      detail::size_class::of(bytes, alignment))
                << bytes << " at " << alignment;
        }
    }
}

TEST(size_class, nothing_else_is_looked_up) {
    for (std::size_t alignment = 0; alignment <= 300; ++alignment) {
        for (const std::size_t bytes : {std::size_t{0}, std::size_t{8}, std::size_t{1024}}) {
            const bool found =
                detail::size_class::is_listed(bytes, alignment) &&
                detail::size_class::of_listed(bytes, alignment) != detail::size_class::single;
            EXPECT_EQ(found, is_alignment(alignment) && alignment <= 16) << alignment;
        }
        EXPECT_FALSE(
            detail::size_class::is_listed(detail::size_class::largest_listed_bytes + 1, alignment));
        EXPECT_FALSE(detail::size_class::is_listed(size_max, alignment));
    }
    for (unsigned shift = 5; shift < std::numeric_limits<std::size_t>::digits; ++shift)
        EXPECT_FALSE(detail::size_class::is_listed(8, std::size_t{1} << shift));
    EXPECT_FALSE(detail::size_class::is_listed(8, size_max));
}

TEST(size_class, what_has_no_class_has_a_slot_of_its_own_or_none) {
    EXPECT_EQ(detail::size_class::of(detail::size_class::largest_bytes + 1, 8),
              detail::size_class::single);
    EXPECT_EQ(detail::size_class::of(size_max, detail::size_class::largest_alignment),
              detail::size_class::single);
    EXPECT_EQ(detail::size_class::of(1, 2 * detail::size_class::largest_alignment),
              detail::size_class::none);
    EXPECT_EQ(detail::size_class::of(size_max, support::largest_power), detail::size_class::none);
}

TEST(size_class, inverse_finds_the_slot_of_every_offset) {
    constexpr std::size_t most = 256 * 1024; // of any block
    for (unsigned number = 0; number < detail::size_class::count; ++number) {
        const std::size_t slot = detail::size_class::slot_bytes(number);
        const std::uint64_t inverse = detail::size_class::inverse[number];
        std::size_t index = 0;
        std::size_t rest = 0;
        for (std::size_t offset = 0; offset < most; ++offset) {
            ASSERT_EQ(offset * inverse >> 32, index) << offset << ", slots of " << slot;
            if (++rest == slot) {
                rest = 0;
                ++index;
            }
        }
    }
    EXPECT_EQ(detail::size_class::inverse[detail::size_class::single], 0u) << "the only slot";
}

} // namespace
