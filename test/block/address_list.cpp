// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// The list with nodes of another kind than blocks; block_list.cpp has the one of blocks.
#include <arenite/block/detail/address_list.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <random>
#include <vector>

using namespace arenite;

namespace {

/// Nodes as close together as they can be: the list looks at nothing but addresses.
struct node {
    std::uint16_t below = 0;
    node* right = nullptr;
    std::uint16_t state = 0;
    node* left = nullptr;
};

using list = detail::address_list<node>;
using model = std::map<node*, std::uint16_t>;

/// Every question to the list, asked of the model too.
void expect_same(const list& l, const model& m, node& any_node, std::uint16_t any) {
    const auto has_it = [&](const auto& entry) { return (entry.second & any) != 0; };
    const auto lowest = std::find_if(m.begin(), m.end(), has_it);
    const auto highest = std::find_if(m.rbegin(), m.rend(), has_it);
    const auto above = m.upper_bound(&any_node);
    const auto from = std::find_if(m.lower_bound(&any_node), m.end(), has_it);
    const auto past = std::find_if(above, m.end(), has_it);
    const auto node_of = [&](auto at, auto end) { return at == end ? nullptr : at->first; };
    ASSERT_EQ(l.size(), m.size());
    ASSERT_EQ(l.empty(), m.empty());
    ASSERT_EQ(l.first(), node_of(m.begin(), m.end()));
    ASSERT_EQ(l.lowest(any), node_of(lowest, m.end()));
    ASSERT_EQ(l.highest(any), node_of(highest, m.rend()));
    ASSERT_EQ(l.has(any), lowest != m.end());
    ASSERT_EQ(l.above(any_node), node_of(above, m.end()));
    ASSERT_EQ(l.lowest(any, &any_node), node_of(from, m.end()));
    ASSERT_EQ(l.lowest(any, reinterpret_cast<std::byte*>(&any_node) + 1), node_of(past, m.end()));
    ASSERT_EQ(l.at_or_below(&any_node), above == m.begin() ? nullptr : std::prev(above)->first);
}

TEST(address_list, is_that_of_a_plain_map_after_any_work) {
    constexpr std::size_t count = 200;
    std::vector<node> nodes(count);
    for (std::uint32_t seed = 1; seed <= 5; ++seed) {
        std::mt19937 random{seed};
        list l;
        model m;
        const auto some_state = [&] { return static_cast<std::uint16_t>(1u << random() % 16); };
        for (int i = 0; i < 10'000; ++i) {
            // Nearly empty and nearly full by turns.
            const bool grows = random() % 100 < (i / 1000 % 2 == 0 ? 70u : 30u);
            node& n = nodes[random() % count];
            if (!m.contains(&n)) {
                if (grows) {
                    n.state = random() % 4 == 0 ? some_state() : std::uint16_t{0};
                    m[&n] = n.state;
                    l.insert(n);
                }
            } else if (!grows) {
                l.erase(n);
                m.erase(&n);
            } else {
                const std::uint16_t state = random() % 2 == 0 ? some_state() : std::uint16_t{0};
                l.set_state(n, state);
                m[&n] = state;
            }
            expect_same(l, m, nodes[random() % count],
                        static_cast<std::uint16_t>(some_state() | some_state()));
            if (testing::Test::HasFatalFailure())
                FAIL() << "seed " << seed << ", step " << i;
        }
        node* n = l.take_all();
        for (const auto& [expected, state] : m) {
            ASSERT_EQ(n, expected);
            ASSERT_EQ(n->state, state);
            n = n->right;
        }
        ASSERT_EQ(n, nullptr);
        ASSERT_TRUE(l.empty());
    }
}

TEST(address_list, a_node_s_links_of_before_do_not_matter) {
    std::vector<node> nodes(3);
    list l;
    for (node& n : nodes) {
        n.left = n.right = &nodes[0];
        n.below = 0xFFFF;
        n.state = 1;
        l.insert(n);
    }
    EXPECT_FALSE(l.has(2));
    EXPECT_EQ(l.lowest(1), &nodes[0]);
    EXPECT_EQ(l.highest(1), &nodes[2]);
    l.erase(nodes[1]);
    EXPECT_EQ(l.above(nodes[0]), &nodes[2]);
}

TEST(address_list, the_lowest_from_an_address_is_found_where_others_lie_below) {
    std::vector<node> nodes(100);
    list l;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        nodes[i].state = i % 10 == 3 ? 1 : 2;
        l.insert(nodes[i]);
    }
    EXPECT_EQ(l.lowest(1, nullptr), &nodes[3]);
    EXPECT_EQ(l.lowest(1, &nodes[3]), &nodes[3]);
    EXPECT_EQ(l.lowest(1, &nodes[4]), &nodes[13]);
    EXPECT_EQ(l.lowest(1, &nodes[93]), &nodes[93]);
    EXPECT_EQ(l.lowest(1, &nodes[94]), nullptr);
    EXPECT_EQ(l.lowest(4, nullptr), nullptr);
}

} // namespace
