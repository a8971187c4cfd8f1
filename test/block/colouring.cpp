// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/block/detail/colouring.hpp>
#include <arenite/core/literals.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <set>

using namespace arenite;

namespace {

TEST(colouring, is_whole_cache_lines_of_a_power_of_two_of_colours) {
    static_assert(colour_bytes == 64);
    static_assert((colour_count & (colour_count - 1)) == 0);
}

TEST(colouring, neighbours_differ_and_all_colours_come_equally_often) {
    for (const std::size_t spacing : {64_KiB, 256_KiB, 2_MiB}) {
        std::array<int, colour_count> times{};
        for (std::size_t i = 0; i < 10 * colour_count; ++i) {
            const std::uintptr_t address =
                std::uintptr_t{0x1234'0000} / spacing * spacing + i * spacing;
            const std::size_t offset = colour_offset(address, spacing);
            ASSERT_EQ(offset % colour_bytes, 0u);
            ASSERT_LT(offset, colour_count * colour_bytes);
            EXPECT_NE(offset, colour_offset(address + spacing, spacing));
            ++times[offset / colour_bytes];
        }
        for (const int n : times)
            EXPECT_EQ(n, 10);
    }
}

TEST(colouring, every_run_of_neighbours_has_all_colours) {
    for (std::size_t from = 0; from < 20; ++from) {
        std::set<std::size_t> seen;
        for (std::size_t i = from; i < from + colour_count; ++i)
            seen.insert(colour_offset(i * 256_KiB, 256_KiB));
        EXPECT_EQ(seen.size(), colour_count);
    }
}

TEST(colouring, depends_on_nothing_but_the_number_of_the_block) {
    static_assert(colour_offset(3 * 64_KiB, 64_KiB) == 3 * colour_bytes);
    static_assert(colour_offset(3 * 64_KiB + 64_KiB - 1, 64_KiB) == 3 * colour_bytes);
    static_assert(colour_offset(colour_count * 64_KiB, 64_KiB) == 0);
}

} // namespace
