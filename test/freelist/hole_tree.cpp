// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/check/detail/poison.hpp>
#include <arenite/freelist/detail/hole_tree.hpp>
#include <arenite/freelist/detail/unit_map.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <vector>

using namespace arenite;
using detail::hole_tree;
using detail::unit_map;

namespace {

using index = unit_map::index;

class hole_trees : public testing::Test {
protected:
    static constexpr index slots = 60, slot_units = 1000; // a hole may begin in each slot

    ~hole_trees() override { detail::poison::undefined(memory.data(), memory.size() * 16); }

    index choose(std::size_t n) const {
        index chosen = unit_map::none;
        for (const auto& [hole, length] : model)
            if (length >= n && (chosen == unit_map::none || length < model.at(chosen)))
                chosen = hole;
        return chosen;
    }

    struct alignas(16) unit {
        std::byte bytes[16];
    };
    std::vector<unit> memory = std::vector<unit>(slots * slot_units);
    std::vector<std::uint64_t> bits =
        std::vector<std::uint64_t>(unit_map::bytes_for_bits(slots * slot_units) / 8);
    detail::resource_label label;
    unit_map map{memory.front().bytes, slots* slot_units, bits.data(), false, label};
    hole_tree tree;
    std::map<index, index> model;
    std::mt19937 random{2};
};

TEST_F(hole_trees, find_what_a_look_at_all_holes_finds) {
    EXPECT_EQ(tree.find(map, 1), unit_map::none);
    EXPECT_EQ(tree.longest(map), 0u);
    for (int step = 0; step < 20'000; ++step) {
        const auto slot = static_cast<index>(random() % slots);
        const auto there = model.lower_bound(slot * slot_units);
        const bool taken = there != model.end() && there->first < (slot + 1) * slot_units;
        if (!taken) {
            const index hole = slot * slot_units + random() % 4;
            const index most = slot_units - 8 - 64;
            const index length = 64 + (random() % 2 == 0 ? random() % 4 : random() % most);
            map.make_hole(hole, length);
            tree.insert(map, hole);
            model[hole] = length;
        } else {
            tree.erase(map, there->first);
            map.clear_hole(there->first, there->second);
            model.erase(there);
        }
        const std::size_t n = step % 2 == 0 ? 60 + random() % 10 : 1 + random() % slot_units;
        ASSERT_EQ(tree.find(map, n), choose(n)) << n;
        index longest = 0;
        for (const auto& [hole, length] : model)
            longest = std::max(longest, length);
        ASSERT_EQ(tree.longest(map), longest);
    }
    EXPECT_EQ(tree.find(map, std::size_t{slots} * slot_units + 1), unit_map::none);
    EXPECT_EQ(tree.find(map, ~std::size_t{0}), unit_map::none);
}

} // namespace
