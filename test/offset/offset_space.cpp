// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/offset/detail/offset_space.hpp>

#include <gtest/gtest.h>

#include "support/counting_resource.hpp"

#include <cstdint>
#include <vector>

using namespace arenite;
using detail::offset_request;
using detail::offset_space;

namespace {

class offset_space_of_blocks : public testing::Test {
protected:
    [[nodiscard]] detail::offset_block::index open(std::uint64_t granules) {
        EXPECT_TRUE(space.reserve(1));
        const auto b = space.blocks().add(granules, nullptr);
        space.open(b);
        return b;
    }
    [[nodiscard]] offset_space::index take(const offset_request& r) {
        EXPECT_TRUE(space.reserve(2));
        const auto f = space.find(r);
        return f ? space.take(f, r) : offset_space::none;
    }
    support::counting_resource up;
    offset_space space{{}, 10, &up};
};

TEST_F(offset_space_of_blocks, one_set_of_bins_serves_all_and_offsets_count_from_their_block) {
    const auto a = open(100);
    const auto b = open(900);
    const auto in_b = take({.granules = 500, .alignment = 1, .flags = 0, .high = false});
    const auto in_a = take({.granules = 100, .alignment = 1, .flags = 0, .high = false});
    EXPECT_EQ(space.block_of(space.nodes()[in_b]), b);
    EXPECT_EQ(space.block_of(space.nodes()[in_a]), a);
    EXPECT_EQ(space.allocation(in_b).offset, 0u);
    EXPECT_EQ(space.blocks()[b].used, 500u);
    const auto odd = take({.granules = 100, .alignment = 36, .flags = 0, .high = false});
    EXPECT_EQ(space.allocation(odd).offset, 504u) << "a multiple of 36 from the block's begin";
    const auto high = take({.granules = 100, .alignment = 2048, .flags = 0, .high = true});
    EXPECT_EQ(high, offset_space::none) << "only a block's begin has that alignment";
    for (const auto i : {in_a, in_b, odd})
        space.give(i);
    EXPECT_EQ(space.used(), 0u);
    EXPECT_EQ(space.largest_hole(), 900u);
    space.close(a);
    space.close(b);
    EXPECT_EQ(space.total(), 0u);
    EXPECT_EQ(space.nodes().in_use(), 0u);
}

TEST_F(offset_space_of_blocks, two_neighbours_in_use_slide_into_one) {
    static_cast<void>(open(1000));
    const offset_request small{.granules = 10, .alignment = 1, .flags = 0, .high = false};
    const offset_request large{.granules = 50, .alignment = 1, .flags = 0, .high = false};
    const auto gap = take(small);
    const auto object = take(large);
    const auto behind = take(small);
    space.slide(gap, object);
    EXPECT_EQ(space.allocation(gap).offset, 0u);
    EXPECT_EQ(space.allocation(gap).bytes, 50u);
    EXPECT_EQ(space.used(), 60u);
    EXPECT_EQ(space.live(), 2u);
    EXPECT_EQ(space.allocation(take(small)).offset, 50u) << "where the end of it was";
    EXPECT_EQ(space.allocation(behind).offset, 60u);
}

TEST_F(offset_space_of_blocks, a_cursor_goes_on_at_what_took_the_place_of_its_node) {
    static_cast<void>(open(1000));
    const offset_request r{.granules = 10, .alignment = 1, .flags = 0, .high = false};
    const auto a = take(r);
    const auto b = take(r);
    const auto c = take(r);
    space.cursor() = b;
    space.give(a);
    EXPECT_EQ(space.cursor(), b);
    space.give(b); // a's hole takes it in
    EXPECT_EQ(space.cursor(), a);
    space.give(c);
    EXPECT_EQ(space.cursor(), a);
}

TEST_F(offset_space_of_blocks, a_hole_whose_node_is_used_up_is_served_by_another_node) {
    const auto block = open(30);
    const offset_request r{.granules = 10, .alignment = 1, .flags = 0, .high = false};
    for (std::uint64_t place : {0u, 10u, 20u}) { // the first stretch, one between, the last
        std::vector<offset_space::index> all{take(r), take(r), take(r)};
        const auto worn = all[place / 10];
        while (!space.nodes().is_used_up(space.nodes()[worn])) {
            ASSERT_EQ(space.nodes()[worn].position(), place);
            space.nodes()[worn].next_generation();
        }
        space.nodes()[worn].place -= std::uint64_t{1} << detail::offset_node::position_bits;
        space.give(worn); // its last generation ends
        space.cursor() = worn;
        const auto fresh = all[place / 10] = take(r);
        EXPECT_NE(fresh, worn);
        EXPECT_EQ(space.cursor(), fresh);
        EXPECT_EQ(space.nodes()[fresh].position(), place);
        std::vector<offset_space::index> walked;
        for (auto i = space.blocks()[block].first; i != offset_space::none;
             i = space.nodes()[i].behind) {
            const auto before = space.nodes()[i].before;
            EXPECT_EQ(before, walked.empty() ? offset_space::none : walked.back());
            walked.push_back(i);
        }
        EXPECT_EQ(walked, all);
        EXPECT_EQ(space.blocks()[block].last, all.back());
        for (const auto i : all)
            space.give(i);
        EXPECT_EQ(space.largest_hole(), 30u);
    }
    space.close(block);
    EXPECT_EQ(space.nodes().in_use(), 0u);
}

} // namespace
