// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/soa/detail/row_iterator.hpp>

#include <gtest/gtest.h>

#include <cstddef>

using namespace arenite;

namespace {

class numbers : public detail::row_iterator<numbers> {
public:
    using detail::row_iterator<numbers>::row_iterator;
    static std::size_t dereference(const detail::row_origin&, std::size_t row) { return row * 10; }
};

TEST(row_iterator, goes_to_any_row) {
    const detail::row_origin::state s{};
    numbers i{detail::row_origin{nullptr, 0, s}, 3};
    EXPECT_EQ(*i, 30u);
    EXPECT_EQ(i[2], 50u);
    EXPECT_EQ(i[-2], 10u);
    EXPECT_EQ(*i++, 30u);
    EXPECT_EQ(*++i, 50u);
    EXPECT_EQ(*i--, 50u);
    EXPECT_EQ(*--i, 30u);
    EXPECT_EQ((i + 4).row(), 7u);
    EXPECT_EQ((4 + i).row(), 7u);
    EXPECT_EQ((i - 3).row(), 0u);
    EXPECT_EQ((i + 4) - i, 4);
    EXPECT_EQ(i - (i + 4), -4);
    EXPECT_LT(i, i + 1);
    EXPECT_EQ(i, i + 1 - 1);
    i -= 2;
    EXPECT_EQ(i.row(), 1u);
}

} // namespace
