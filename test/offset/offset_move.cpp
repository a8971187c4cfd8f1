// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/offset/offset_move.hpp>

#include <gtest/gtest.h>

using namespace arenite;

namespace {

TEST(offset_move, one_that_slides_is_copied_in_pieces_of_its_gap) {
    offset_move m;
    m.from = {.offset = 100, .bytes = 50};
    m.to = {.offset = 70, .bytes = 50};
    EXPECT_TRUE(m.overlaps());
    EXPECT_EQ(m.gap(), 30u);
    EXPECT_EQ(m.bytes(), 50u);
    m.to.offset = 50;
    EXPECT_FALSE(m.overlaps()) << "they are neighbours";
    m.to.offset = 200;
    EXPECT_FALSE(m.overlaps());
    m.to.offset = 70;
    int other = 0;
    m.to_block = &other;
    EXPECT_FALSE(m.overlaps()) << "they lie in two blocks";
}

} // namespace
