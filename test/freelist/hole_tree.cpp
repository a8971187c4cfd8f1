// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/check/poison.hpp>
#include <arenite/freelist/hole_tree.hpp>
#include <arenite/freelist/unit_map.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <vector>

using namespace arenite;
using detail::hole_order;
using detail::hole_tree;
using detail::unit_map;

namespace {

using index = unit_map::index;

class hole_trees : public testing::TestWithParam<hole_order> {
protected:
    static constexpr index slots = 300, slot_units = 40; // a hole may begin in each slot

    ~hole_trees() override { poison::undefined(memory.data(), memory.size() * 16); }

    index choose(std::size_t n) const {
        index chosen = unit_map::none;
        for (const auto& [hole, length] : model)
            if (length >= n && (chosen == unit_map::none ||
                                (GetParam() == hole_order::size && length < model.at(chosen))))
                chosen = hole;
        return chosen;
    }

    struct alignas(16) unit {
        std::byte bytes[16];
    };
    std::vector<unit> memory = std::vector<unit>(slots * slot_units);
    std::vector<std::uint64_t> bits =
        std::vector<std::uint64_t>(unit_map::bytes_for_bits(slots * slot_units) / 8);
    unit_map map{memory.front().bytes, slots* slot_units, bits.data(), false};
    hole_tree tree{GetParam()};
    std::map<index, index> model;
    std::mt19937 random{2};
};

TEST_P(hole_trees, find_what_a_look_at_all_holes_finds) {
    EXPECT_EQ(tree.find(map, 1), unit_map::none);
    EXPECT_EQ(tree.longest(map), 0u);
    for (int step = 0; step < 20'000; ++step) {
        const index slot = random() % slots;
        const auto there = model.lower_bound(slot * slot_units);
        const bool taken = there != model.end() && there->first < (slot + 1) * slot_units;
        if (!taken) {
            const index hole = slot * slot_units + random() % 4;
            const index length = 2 + random() % 20;
            map.make_hole(hole, length);
            tree.insert(map, hole);
            model[hole] = length;
        } else if (GetParam() == hole_order::address && random() % 3 == 0 &&
                   there->second < slot_units - 4) {
            // Downward by up to what is free in the slot, and upward by one.
            const index hole = there->first;
            const index now = hole - random() % (hole - slot * slot_units + 1);
            const index length = there->second + (hole - now) + 1;
            poison::defined(map.address(now), 16);
            map.store(now, 3, length);
            tree.grow(map, hole, now);
            model.erase(there);
            model[now] = length;
        } else {
            tree.erase(map, there->first);
            model.erase(there);
        }
        const std::size_t n = 1 + random() % 24;
        ASSERT_EQ(tree.find(map, n), choose(n)) << n;
        index longest = 0;
        for (const auto& [hole, length] : model)
            longest = std::max(longest, length);
        ASSERT_EQ(tree.longest(map), longest);
    }
}

INSTANTIATE_TEST_SUITE_P(orders, hole_trees, testing::Values(hole_order::address, hole_order::size),
                         [](const auto& info) {
                             return info.param == hole_order::address ? "by_address" : "by_size";
                         });

} // namespace
