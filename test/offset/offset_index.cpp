// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/core/system_resource.hpp>
#include <arenite/offset/detail/offset_index.hpp>

#include <gtest/gtest.h>

#include "support/counting_resource.hpp"

#include <cstdint>
#include <map>
#include <random>

using namespace arenite;
using detail::offset_index;

namespace {

TEST(offset_index, holds_offsets_as_a_map_does) {
    const auto seed = std::random_device{}();
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937 random{seed};
    support::counting_resource up;
    {
        offset_index index{&up};
        std::map<std::uint64_t, std::uint32_t> model;
        for (int step = 0; step < 20'000; ++step) {
            // Few homes, so that runs of cells collide, wrap around and close again.
            const std::uint64_t offset = random() % 300 * 4096;
            const auto found = model.find(offset);
            ASSERT_EQ(index.find(offset, 1).node,
                      found != model.end() ? found->second : offset_allocation::no_node);
            if (found != model.end()) {
                index.remove(offset);
                model.erase(found);
            } else if (model.size() < 250) {
                ASSERT_TRUE(index.reserve());
                const auto node = static_cast<std::uint32_t>(random() % 1000);
                index.add({offset, 1, node, 7});
                model.emplace(offset, node);
            }
            ASSERT_EQ(index.count(), model.size());
        }
        EXPECT_EQ(index.bytes(), up.live_bytes());
        index.clear();
        EXPECT_EQ(index.count(), 0u);
        for (const auto& [offset, node] : model)
            EXPECT_EQ(index.find(offset, 1).node, offset_allocation::no_node);
    }
}

TEST(offset_index, asks_for_nothing_before_the_first_offset_and_fails_whole) {
    support::counting_resource up;
    offset_index index{&up};
    EXPECT_EQ(index.find(0, 1).node, offset_allocation::no_node);
    EXPECT_EQ(up.calls(), 0u);
    up.fail_after(0);
    EXPECT_FALSE(index.reserve());
    EXPECT_EQ(index.bytes(), 0u);
}

} // namespace
