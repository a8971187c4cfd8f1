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
    ASSERT_TRUE(first.make(130));
    EXPECT_EQ(first.group_count(), 3u);
    EXPECT_EQ(first.copied(), 0u) << "pages of zeros need no copy";
    std::memset(first.add(1), 7, page_copies::page_bytes);
    std::memset(first.add(129), 9, page_copies::page_bytes);
    EXPECT_EQ(first.copied(), 2u);
    EXPECT_EQ(first.own(), 2u);
    page_copies second;
    ASSERT_TRUE(second.share(first));
    EXPECT_EQ(first.own(), 0u);
    EXPECT_EQ(second.at(1), first.at(1));
    EXPECT_EQ(second.at(130), nullptr) << "behind the last";
    page_copies third;
    ASSERT_TRUE(third.make(130));
    third.keep_group(2, first);
    std::memset(third.add(1), 8, page_copies::page_bytes);
    ASSERT_TRUE(third.keep(2, first.at(1)));
    EXPECT_TRUE(third.same_group(1, first)) << "zeros";
    EXPECT_TRUE(third.same_group(2, first));
    EXPECT_FALSE(third.same_group(0, first));
    EXPECT_FALSE(third.same_group(3, first)) << "there is none";
    EXPECT_EQ(third.own(), 1u);
    first = page_copies{};
    second = page_copies{};
    EXPECT_EQ(third.at(1)->bytes[5], std::byte{8});
    EXPECT_EQ(third.at(2)->bytes[5], std::byte{7}) << "it is still there";
    EXPECT_EQ(third.at(129)->bytes[5], std::byte{9});
    EXPECT_EQ(third.own(), 3u);
    page_copies fourth{std::move(third)};
    EXPECT_EQ(fourth.count(), 130u);
    EXPECT_EQ(third.count(), 0u);
    ASSERT_TRUE(fourth.keep(1, nullptr));
    EXPECT_EQ(fourth.copied(), 2u);
    ASSERT_TRUE(fourth.keep(70, nullptr)) << "zeros they are already";
    EXPECT_EQ(fourth.copied(), 2u);
}

TEST(page_copies, knows_a_page_of_zeros) {
    alignas(8) std::byte page[page_copies::page_bytes] = {};
    EXPECT_TRUE(page_copies::is_zero(page));
    page[page_copies::page_bytes - 1] = std::byte{1};
    EXPECT_FALSE(page_copies::is_zero(page));
}

} // namespace
