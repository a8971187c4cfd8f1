// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/soa/detail/record_iterator.hpp>

#include <gtest/gtest.h>

#include "soa/particle.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <ranges>
#include <string>
#include <utility>

using namespace arenite;
using namespace soa_test;

namespace {

using rows = records<particle, layout::soa>;

static_assert(std::random_access_iterator<rows::iterator>);
static_assert(std::random_access_iterator<rows::const_iterator>);
static_assert(std::sized_sentinel_for<rows::iterator, rows::iterator>);
static_assert(std::convertible_to<rows::iterator, rows::const_iterator>);
static_assert(std::ranges::random_access_range<rows> && std::ranges::sized_range<rows>);
static_assert(std::sortable<rows::iterator, std::ranges::less, decltype(by<&particle::mass>)>);
static_assert(std::random_access_iterator<records<particle, layout::aos>::iterator>);
static_assert(std::random_access_iterator<records<particle, layout::aosoa<4>>::iterator>);

/// Backwards, and in an order that no sorting finds in place.
template <class Layout>
records<particle, Layout> mixed(int n) {
    records<particle, Layout> r;
    for (int i = 0; i < n; ++i)
        r.push_back(nth(i * 37 % 101));
    return r;
}

template <class Layout>
void sorted() {
    auto r = mixed<Layout>(101);
    std::ranges::sort(r, {}, by<&particle::mass>);
    for (int i = 0; i < 101; ++i)
        EXPECT_EQ(particle(r[static_cast<std::size_t>(i)]), nth(i));
    std::ranges::sort(r, [](const particle& a, const particle& b) { return a.mass > b.mass; });
    EXPECT_EQ(particle(r[0]), nth(100));
    EXPECT_EQ(particle(r[100]), nth(0));
}

TEST(record_iterator, ranges_sort_whole_rows) {
    sorted<layout::soa>();
    sorted<layout::aos>();
    sorted<layout::aosoa<8>>();
}

TEST(record_iterator, works_with_other_algorithms) {
    auto r = mixed<layout::soa>(50);
    const auto oldest = std::ranges::max_element(r, {}, by<&particle::mass>);
    EXPECT_EQ((*oldest)[&particle::mass], 200);
    std::ranges::reverse(r);
    EXPECT_EQ(particle(r[49]), nth(0));
    const auto kept = std::ranges::remove_if(
        r, [](double m) { return m < 50; }, by<&particle::mass>);
    r.erase(kept.begin(), kept.end());
    EXPECT_TRUE(std::ranges::none_of(
        r, [](double m) { return m < 50; }, by<&particle::mass>));
    EXPECT_FALSE(r.empty());
}

TEST(record_iterator, loops_over_rows) {
    auto r = numbered<layout::soa>(10);
    for (auto row : r)
        row.get<&particle::mass>() += 1;
    double sum = 0;
    for (auto row : std::as_const(r))
        sum += row.get<&particle::mass>();
    EXPECT_EQ(sum, 90 + 10);
    EXPECT_EQ(r.end() - r.begin(), 10);
    EXPECT_EQ((r.begin() + 3).row(), 3u);
}

TEST(record_iterator, swaps_rows_that_cannot_be_copied) {
    struct owner {
        std::unique_ptr<int> owned;
        int key;
    };
    records<owner, layout::soa> r;
    for (int i : {3, 1, 2})
        r.push_back({std::make_unique<int>(i), i});
    iter_swap(r.begin(), r.begin() + 2);
    EXPECT_EQ(*r[0][&owner::owned], 2);
    const owner first = iter_move(r.begin());
    EXPECT_EQ(first.key, 2);
    EXPECT_EQ(*first.owned, 2);
}

} // namespace
