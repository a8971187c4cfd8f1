// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/block/detail/block.hpp>
#include <arenite/core/literals.hpp>

#include <gtest/gtest.h>

#include "support/standing_block.hpp"

#include <cstddef>

using namespace arenite;

namespace {

TEST(block, its_head_is_one_cache_line) {
    static_assert(sizeof(detail::block) == 64);
    static_assert(alignof(detail::block) == 64);
}

TEST(block, what_a_free_touches_lies_together) {
    static_assert(offsetof(detail::block, live) == 0);
    static_assert(offsetof(detail::block, alarm) == sizeof(std::int32_t));
    static_assert(offsetof(detail::block, owner) < 64);
}

TEST(block, sizes_count_in_whole_granules) {
    EXPECT_EQ(detail::granules_for(0), 1u);
    EXPECT_EQ(detail::granules_for(1), 1u);
    EXPECT_EQ(detail::granules_for(8), 1u);
    EXPECT_EQ(detail::granules_for(9), 2u);
    EXPECT_EQ(detail::granules_for(48), 6u);
    EXPECT_EQ(detail::granules_for(49), 7u);
}

TEST(block, granules_are_numbered_from_its_first_byte) {
    const support::standing_block b{8_KiB};
    auto* const begin = reinterpret_cast<std::byte*>(&*b);
    EXPECT_EQ(b->bytes(), 8_KiB);
    for (std::size_t i : {0u, 1u, 63u, 64u, 1023u}) {
        EXPECT_EQ(b->at(i), begin + i * 8);
        EXPECT_EQ(b->index_of(begin + i * 8), i);
        EXPECT_EQ(b->index_of(begin + i * 8 + 7), i);
    }
}

// ---- block_state --------------------------------------------------------------------------------

TEST(block_state, each_is_a_bit_of_its_own) {
    using namespace detail::block_state;
    unsigned seen = 0;
    for (const unsigned state :
         {detail::block_state::open, sweepable, detail::block_state::empty, large, idle}) {
        EXPECT_EQ(seen & state, 0u);
        seen |= state;
    }
}

} // namespace
