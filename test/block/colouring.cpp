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
    static_assert(detail::colour_bytes == 64);
    static_assert((detail::colour_count & (detail::colour_count - 1)) == 0);
}

TEST(colouring, neighbours_differ_and_all_colours_come_equally_often) {
    for (const std::size_t spacing : {64_KiB, 256_KiB, 2_MiB}) {
        std::array<int, detail::colour_count> times{};
        for (std::size_t i = 0; i < 10 * detail::colour_count; ++i) {
            const std::uintptr_t address =
                std::uintptr_t{0x1234'0000} / spacing * spacing + i * spacing;
            const std::size_t offset = detail::colour_offset(address, spacing);
            ASSERT_EQ(offset % detail::colour_bytes, 0u);
            ASSERT_LT(offset, detail::colour_count * detail::colour_bytes);
            EXPECT_NE(offset, detail::colour_offset(address + spacing, spacing));
            ++times[offset / detail::colour_bytes];
        }
        for (const int n : times)
            EXPECT_EQ(n, 10);
    }
}

TEST(colouring, every_run_of_neighbours_has_all_colours) {
    for (std::size_t from = 0; from < 20; ++from) {
        std::set<std::size_t> seen;
        for (std::size_t i = from; i < from + detail::colour_count; ++i)
            seen.insert(detail::colour_offset(i * 256_KiB, 256_KiB));
        EXPECT_EQ(seen.size(), detail::colour_count);
    }
}

TEST(colouring, depends_on_nothing_but_the_number_of_the_block) {
    static_assert(detail::colour_offset(3 * 64_KiB, 64_KiB) == 3 * detail::colour_bytes);
    static_assert(detail::colour_offset(3 * 64_KiB + 64_KiB - 1, 64_KiB) ==
                  3 * detail::colour_bytes);
    static_assert(detail::colour_offset(detail::colour_count * 64_KiB, 64_KiB) == 0);
}

} // namespace
