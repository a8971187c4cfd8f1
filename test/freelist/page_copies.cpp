// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/freelist/detail/page_copies.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <utility>

using namespace arenite;
using detail::page_copies;

namespace {

TEST(page_copies, what_two_hold_is_one_copy_until_both_have_ended) {
    page_copies first;
    EXPECT_EQ(first.at(0), nullptr) << "of none";
    ASSERT_TRUE(first.make(3));
    EXPECT_EQ(first.copied(), 0u) << "pages of zeros need no copy";
    std::memset(first.add(1), 7, page_copies::page_bytes);
    EXPECT_EQ(first.copied(), 1u);
    EXPECT_EQ(first.own(), 1u);
    page_copies second;
    ASSERT_TRUE(second.share(first));
    EXPECT_EQ(first.own(), 0u);
    EXPECT_EQ(second.at(1), first.at(1));
    EXPECT_EQ(second.at(3), nullptr) << "behind the last";
    std::memset(second.add(1), 8, page_copies::page_bytes);
    EXPECT_EQ(first.own(), 1u) << "the other has a new one";
    first = page_copies{};
    EXPECT_EQ(second.at(1)->bytes[5], std::byte{8});
    page_copies third{std::move(second)};
    EXPECT_EQ(third.count(), 3u);
    EXPECT_EQ(second.count(), 0u);
    third.keep(1, nullptr);
    EXPECT_EQ(third.copied(), 0u);
}

TEST(page_copies, knows_a_page_of_zeros) {
    alignas(8) std::byte page[page_copies::page_bytes] = {};
    EXPECT_TRUE(page_copies::is_zero(page));
    page[page_copies::page_bytes - 1] = std::byte{1};
    EXPECT_FALSE(page_copies::is_zero(page));
}

} // namespace
