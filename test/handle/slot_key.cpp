// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/handle/slot_key.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <type_traits>
#include <unordered_set>

namespace {

using namespace arenite;

static_assert(!std::is_convertible_v<slot_key<int>, slot_key<long>>);
static_assert(std::is_trivially_copyable_v<slot_key<int>> && sizeof(slot_key<int>) == 8);

TEST(slot_key, keys_of_one_slot_differ_by_generation_and_can_be_hashed) {
    std::unordered_set<slot_key<int>> keys;
    for (std::uint32_t i = 0; i < 100; ++i)
        keys.insert({i / 10, 2 * (i % 10) + 1});
    EXPECT_EQ(keys.size(), 100u);
    EXPECT_TRUE(keys.contains({9, 19}));
    EXPECT_FALSE(keys.contains({9, 21}));
    EXPECT_EQ(slot_key<int>{}, (slot_key<int>{0, 0}));
}

} // namespace
