// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/stl/suballocator.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <map>

using namespace arenite;

TEST(suballocator, serves_a_map_by_its_name_alone) {
    std::map<int, int, std::less<>, suballocator<std::pair<const int, int>>> m;
    for (int i = 0; i < 1000; ++i)
        m[i] = i;
    EXPECT_EQ(m[7], 7);
}
