// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/offset/detail/offset_nodes.hpp>

#include <gtest/gtest.h>

#include "support/counting_resource.hpp"

#include <cstddef>
#include <set>

using namespace arenite;
using detail::offset_node;
using detail::offset_nodes;

namespace {

TEST(offset_nodes, what_is_given_back_comes_again_and_keeps_its_generation) {
    support::counting_resource up;
    offset_nodes nodes{&up, false};
    ASSERT_TRUE(nodes.reserve(2));
    const auto a = nodes.take();
    nodes[a].set_position(0xFFFF'FFFF'FFFF);
    nodes[a].set_used(7);
    EXPECT_EQ(nodes[a].granules(), 7u);
    EXPECT_TRUE(nodes[a].in_use());
    const auto generation = nodes[a].generation();
    nodes[a].next_generation();
    EXPECT_EQ(nodes[a].generation(), static_cast<std::uint16_t>(generation + 1));
    EXPECT_EQ(nodes[a].position(), 0xFFFF'FFFF'FFFFu);
    nodes.give(a);
    EXPECT_FALSE(nodes[a].in_use() || nodes[a].is_hole());
    EXPECT_EQ(nodes.take(), a);
    EXPECT_EQ(nodes[a].generation(), static_cast<std::uint16_t>(generation + 1));
}

TEST(offset_nodes, the_array_grows_and_keeps_what_it_holds) {
    support::counting_resource up;
    offset_nodes nodes{&up, true};
    std::set<offset_nodes::index> taken;
    for (std::uint32_t i = 0; i < 1000; ++i) {
        ASSERT_TRUE(nodes.reserve(1));
        const auto n = nodes.take();
        nodes[n].set_used(i + 1);
        nodes.set_data(n, i);
        taken.insert(n);
    }
    EXPECT_EQ(taken.size(), 1000u);
    EXPECT_EQ(nodes.in_use(), 1000u);
    EXPECT_EQ(up.live_bytes(), nodes.bytes());
    EXPECT_LE(nodes.bytes(), 1000u * 40 * 9 / 8 + 40);
    for (std::uint32_t i = 0; i < 1000; ++i) {
        EXPECT_EQ(nodes[i].granules(), i + 1);
        EXPECT_EQ(nodes.data(i), i);
    }
}

TEST(offset_nodes, without_memory_nothing_changes) {
    support::counting_resource up;
    offset_nodes nodes{&up, false};
    up.fail_after(0);
    EXPECT_FALSE(nodes.reserve(1));
    EXPECT_FALSE(nodes.reserve(~std::size_t{0}));
    EXPECT_EQ(nodes.bytes(), 0u);
    up.never_fail();
    ASSERT_TRUE(nodes.reserve(64));
    up.fail_after(0);
    EXPECT_TRUE(nodes.reserve(64)) << "there is room for these";
    EXPECT_FALSE(nodes.reserve(65));
}

TEST(offset_nodes, cleared_all_stand_for_nothing_and_what_was_in_use_is_of_another_generation) {
    support::counting_resource up;
    offset_nodes nodes{&up, false};
    ASSERT_TRUE(nodes.reserve(3));
    const auto used = nodes.take();
    const auto hole = nodes.take();
    nodes[used].set_used(1);
    nodes[hole].set_hole(1);
    const auto before = nodes[used].generation();
    const auto of_hole = nodes[hole].generation();
    nodes.clear();
    EXPECT_EQ(nodes.in_use(), 0u);
    EXPECT_NE(nodes[used].generation(), before);
    EXPECT_EQ(nodes[hole].generation(), of_hole);
    ASSERT_TRUE(nodes.reserve(2));
    EXPECT_NE(nodes.take(), nodes.take());
}

TEST(offset_nodes, a_node_whose_generations_are_used_up_is_retired) {
    support::counting_resource up;
    offset_nodes nodes{&up, false};
    ASSERT_TRUE(nodes.reserve(2));
    const auto first = nodes.take();
    std::set<std::uint16_t> generations;
    while (!nodes.is_used_up(nodes[first])) {
        ASSERT_TRUE(generations.insert(nodes[first].generation()).second);
        nodes[first].next_generation();
        nodes.give(first);
        if (!nodes.is_used_up(nodes[first])) {
            ASSERT_EQ(nodes.take(), first);
        }
    }
    EXPECT_EQ(generations.size(), 65'535u);
    EXPECT_EQ(nodes.in_use(), 0u);
    EXPECT_NE(nodes.take(), first);
    EXPECT_EQ(nodes.in_use(), 1u);
    nodes.clear();
    ASSERT_TRUE(nodes.reserve(2));
    EXPECT_NE(nodes.take(), first) << "nor after clear()";
    EXPECT_NE(nodes.take(), first);
}

TEST(offset_nodes, two_arrays_begin_with_other_generations) {
    support::counting_resource up;
    offset_nodes a{&up, false};
    offset_nodes b{&up, false};
    ASSERT_TRUE(a.reserve(1) && b.reserve(1));
    EXPECT_NE(a[a.take()].generation(), b[b.take()].generation());
}

} // namespace
