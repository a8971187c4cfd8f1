// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/offset/detail/offset_blocks.hpp>

#include <gtest/gtest.h>

#include "support/counting_resource.hpp"

#include <cstdint>

using namespace arenite;
using detail::offset_block;
using detail::offset_blocks;

namespace {

class offset_block_table : public testing::Test {
protected:
    [[nodiscard]] offset_block::index add(std::uint64_t granules, std::uint64_t used) {
        const auto b = blocks.add(granules, nullptr);
        blocks[b].used = used;
        blocks.sort(b);
        return b;
    }
    support::counting_resource up;
    offset_blocks blocks{&up, 10};
};

TEST_F(offset_block_table, positions_lead_to_their_block_and_no_unit_is_shared) {
    const auto a = add(1024, 0);
    const auto large = add(3000, 0);
    const auto b = add(1, 0);
    EXPECT_EQ(blocks.at(blocks[a].base), a);
    EXPECT_EQ(blocks.at(blocks[a].base + 1023), a);
    EXPECT_EQ(blocks.at(blocks[large].base), large);
    EXPECT_EQ(blocks.at(blocks[large].base + 2999), large);
    EXPECT_EQ(blocks.at(blocks[b].base), b);
    const std::uint64_t hole = blocks[large].base;
    blocks.remove(large);
    EXPECT_EQ(blocks[add(2048, 0)].base, hole) << "units come again, the lowest first";
    EXPECT_EQ(blocks[add(1024, 0)].base, hole + 2048);
    for (int i = 0; i < 200; ++i)
        static_cast<void>(add(1024, 0));
    EXPECT_EQ(blocks.at(blocks[a].base), a) << "tables grow";
}

TEST_F(offset_block_table, the_emptiest_in_use_comes_first_unless_it_was_tried) {
    EXPECT_EQ(blocks.emptiest(), offset_blocks::none);
    const auto empty = add(1024, 0);
    const auto full = add(1024, 1024);
    const auto half = add(512, 256);
    const auto some = add(1024, 100);
    EXPECT_EQ(blocks.first_empty(), empty);
    EXPECT_EQ(blocks.emptiest(), some);
    blocks.set_tried(some);
    EXPECT_EQ(blocks.emptiest(), half);
    blocks[some].used = 5;
    blocks.sort(some);
    EXPECT_EQ(blocks.emptiest(), half) << "it stays tried";
    blocks.set_tried(half);
    EXPECT_EQ(blocks.emptiest(), full);
    blocks.set_tried(full);
    EXPECT_EQ(blocks.emptiest(), offset_blocks::none);
    blocks.forget_tries();
    EXPECT_EQ(blocks.emptiest(), some);
    blocks.remove(some);
    EXPECT_EQ(blocks.emptiest(), half);
    blocks[half].used = 0;
    blocks.sort(half);
    EXPECT_EQ(blocks.emptiest(), full);
}

TEST_F(offset_block_table, without_memory_nothing_changes) {
    for (std::size_t n = 0; n < 2; ++n) {
        up.fail_once_after(n);
        EXPECT_EQ(blocks.add(1024, nullptr), offset_blocks::none);
    }
    up.never_fail();
    EXPECT_EQ(blocks.at(blocks[add(1024, 0)].base), 0u);
    EXPECT_EQ(blocks.add(std::uint64_t{1} << 48, nullptr), offset_blocks::none)
        << "more than there are positions";
}

TEST(offset_blocks, one_that_is_all_needs_no_memory) {
    offset_blocks blocks;
    EXPECT_FALSE(blocks.has_lists());
    EXPECT_EQ(blocks.at(0), 0u);
    EXPECT_EQ(blocks.at((std::uint64_t{1} << 48) - 1), 0u);
    EXPECT_EQ(blocks.bytes(), 0u);
}

} // namespace
