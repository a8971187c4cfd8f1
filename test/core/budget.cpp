// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/core/budget.hpp>

#include <arenite/core/literals.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>

namespace {

using namespace arenite;

TEST(budget, what_is_not_set_is_no_limit) {
    constexpr budget b{.bytes = 64_KiB};
    EXPECT_EQ(b.bytes, 64_KiB);
    EXPECT_EQ(b.moves, std::numeric_limits<std::size_t>::max());
    EXPECT_EQ(b.nanoseconds, std::numeric_limits<std::uint64_t>::max());
    EXPECT_EQ(budget{}, budget::unlimited());
    EXPECT_NE(b, budget::unlimited());
}

} // namespace
