// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/offset/moves.hpp>
#include <arenite/offset/offset_allocator.hpp>

#include <gtest/gtest.h>

#include <type_traits>

namespace {

#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#endif

TEST(moves, is_offset_moves_under_its_former_name) {
    static_assert(std::is_same_v<arenite::moves, arenite::offset_moves>);
    static_assert(std::is_same_v<arenite::placement, arenite::offset_placement>);
    arenite::offset_allocator gpu{1000};
    const arenite::moves none = gpu.step(arenite::budget::unlimited());
    EXPECT_TRUE(none.empty());
    const auto high = gpu.try_allocate(100, 1, {.placement = arenite::placement::high});
    ASSERT_TRUE(high.has_value());
    EXPECT_EQ(high->offset, 900u);
}

#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

} // namespace
