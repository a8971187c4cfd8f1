// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/core/detail/ranges.hpp>

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <forward_list>
#include <iterator>
#include <list>
#include <memory>
#include <ranges>
#include <span>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

namespace {

using namespace arenite::detail;

using words_of_a_stream = std::ranges::istream_view<std::string>;
using filtered = std::ranges::filter_view<std::span<int>, bool (*)(int)>; // begin() is not const
struct no_range {};

/// The concepts here say what those of <ranges> say, of a type and of references to it.
template <class R>
constexpr bool says_the_same = InputRange<R> == std::ranges::input_range<R> &&
                               ForwardRange<R> == std::ranges::forward_range<R> &&
                               SizedRange<R> == std::ranges::sized_range<R>;
template <class R>
constexpr bool agrees = says_the_same<R> && says_the_same<R&> && says_the_same<const R&>;

static_assert(agrees<std::vector<int>> && InputRange<std::vector<int>&>);
static_assert(agrees<std::vector<bool>> && agrees<std::array<int, 3>> && agrees<std::span<int>>);
static_assert(agrees<std::list<int>> && SizedRange<std::list<int>>);
static_assert(agrees<std::forward_list<int>> && !SizedRange<std::forward_list<int>>);
static_assert(agrees<words_of_a_stream> && !ForwardRange<words_of_a_stream>);
static_assert(agrees<filtered> && InputRange<filtered&> && !InputRange<const filtered&>);
static_assert(agrees<int> && agrees<no_range> && !InputRange<no_range>);
static_assert(says_the_same<int (&)[3]> && SizedRange<int (&)[3]>);

static_assert(std::is_same_v<range_reference<std::vector<int>>, int&>);
static_assert(std::is_same_v<range_reference<const std::vector<int>>, const int&>);
static_assert(std::is_same_v<range_sentinel<words_of_a_stream>, std::default_sentinel_t>);

using of_vector = iterator_range<std::vector<int>::iterator, std::vector<int>::iterator>;
using of_list = iterator_range<std::list<int>::iterator, std::list<int>::iterator>;
static_assert(ForwardRange<of_vector> && SizedRange<of_vector>);
static_assert(ForwardRange<of_list> && !SizedRange<of_list>);

/// An iterator that is empty once it was moved from.
struct held {
    using value_type = int;
    using difference_type = std::ptrdiff_t;
    std::shared_ptr<int> at = std::make_shared<int>(0);
    int operator*() const { return *at; }
    held& operator++() {
        at = std::make_shared<int>(*at + 1);
        return *this;
    }
    held operator++(int) {
        held before = *this;
        ++*this;
        return before;
    }
    bool operator==(const held& other) const { return *at == *other.at; }
};

TEST(ranges, an_iterator_range_is_gone_through_as_often_as_its_iterators_allow) {
    iterator_range range{held{}, held{std::make_shared<int>(3)}};
    static_assert(ForwardRange<decltype(range)>);
    for (int turn = 0; turn != 2; ++turn) {
        int sum = 0;
        for (const int i : range)
            sum += i + 1;
        EXPECT_EQ(sum, 6);
    }
    EXPECT_EQ(std::ranges::distance(range), 3);
}

TEST(ranges, an_iterator_range_takes_iterators_that_only_move) {
    std::istringstream text{"a b c"};
    words_of_a_stream words{text};
    static_assert(!std::copyable<range_iterator<words_of_a_stream>>);
    iterator_range range{std::ranges::begin(words), std::ranges::end(words)};
    std::string all;
    for (const std::string& word : range)
        all += word;
    EXPECT_EQ(all, "abc");
}

TEST(ranges, an_iterator_range_knows_its_size_where_iterators_have_a_distance) {
    std::vector<int> five(5);
    EXPECT_EQ((iterator_range{five.begin() + 1, five.end()}.size()), 4u);
    const std::ranges::iota_view<std::uint64_t, std::uint64_t> numbers{1, 8}; // of no integral type
    EXPECT_EQ((iterator_range{numbers.begin(), numbers.end()}.size()), 7u);
}

} // namespace
