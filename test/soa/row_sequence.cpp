// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/soa/detail/row_sequence.hpp>
#include <arenite/soa/layout.hpp>

#include <gtest/gtest.h>

#include "support/counting_resource.hpp"
#include "support/fragile.hpp"

#include <cstddef>
#include <stdexcept>
#include <vector>

using namespace arenite;
using support::fragile_count;

namespace {

struct row {
    support::fragile<true> number;
};
using rows = detail::row_sequence<row, layout::soa>;

rows numbered(int n, support::counting_resource& up) {
    rows r{&up};
    for (int i = 0; i < n; ++i)
        r.append(row{i});
    return r;
}

std::vector<int> numbers(const rows& r) {
    std::vector<int> all;
    for (std::size_t i = 0; i < r.size(); ++i)
        all.push_back(r.at<0>(i)->get());
    return all;
}

TEST(row_sequence, fills_a_gap_while_the_rows_lie_where_they_were) {
    support::counting_resource up;
    rows r = numbered(4, up);
    const auto twice_the_first = [&r](rows::memory& m, std::size_t at) {
        m.construct(at, row{r.at<0>(0)->get() + 10});
    };
    r.insert(2, 2, twice_the_first);
    r.insert(0, 1, twice_the_first);
    EXPECT_EQ(numbers(r), (std::vector{10, 0, 1, 10, 10, 2, 3}));
    EXPECT_EQ(up.live(), 1u);
}

TEST(row_sequence, what_was_reserved_stays_where_rows_are_copied) {
    support::counting_resource up;
    struct copied {
        support::fragile<false> number;
    };
    using copied_rows = detail::row_sequence<copied, layout::soa>;
    static_assert(!copied_rows::moves);
    copied_rows r{&up};
    r.reserve(100);
    const std::size_t room = r.capacity();
    r.insert(0, copied{1});
    EXPECT_EQ(up.allocations(), 1u); // at the end nothing is copied
    r.insert(0, copied{0});
    EXPECT_EQ(r.capacity(), room);
    EXPECT_EQ(r.erase_if([](std::size_t at) { return at == 0; }), 1u);
    EXPECT_EQ(r.capacity(), room);
    EXPECT_EQ(r.size(), 1u);
    EXPECT_EQ(r.at<0>(0)->get(), 1);
}

TEST(row_sequence, asks_once_for_each_row_that_may_end) {
    support::counting_resource up;
    rows r = numbered(10, up);
    std::vector<int> asked;
    const auto doomed = [&](std::size_t at) {
        asked.push_back(r.at<0>(at)->get());
        return asked.back() % 3 != 1;
    };
    EXPECT_EQ(r.erase_if(doomed), 7u);
    EXPECT_EQ(asked, (std::vector{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
    EXPECT_EQ(numbers(r), (std::vector{1, 4, 7}));
    EXPECT_EQ(r.erase_if([](std::size_t) { return false; }), 0u);
    EXPECT_EQ(fragile_count::live, 3);
}

#if ARENITE_EXCEPTIONS
TEST(row_sequence, closes_the_gap_where_asking_throws) {
    support::counting_resource up;
    rows r = numbered(10, up);
    const auto doomed = [&](std::size_t at) {
        if (r.at<0>(at)->get() == 7)
            throw std::runtime_error("told to");
        return r.at<0>(at)->get() % 2 == 0;
    };
    EXPECT_THROW(r.erase_if(doomed), std::runtime_error);
    EXPECT_EQ(numbers(r), (std::vector{1, 3, 5, 7, 8, 9}));
    EXPECT_EQ(fragile_count::live, 6);
    EXPECT_EQ(fragile_count::misplaced, 0);
}

TEST(row_sequence, a_row_that_throws_leaves_no_gap) {
    support::counting_resource up;
    rows r = numbered(4, up);
    const auto fill = [](rows::memory& m, std::size_t at) { m.construct(at, row{5}); };
    for (const std::size_t at : {std::size_t{4}, std::size_t{1}}) {
        fragile_count::throw_after(2);
        EXPECT_THROW(r.insert(at, 3, fill), std::runtime_error);
        fragile_count::never_throw();
        EXPECT_EQ(numbers(r), (std::vector{0, 1, 2, 3}));
        EXPECT_EQ(fragile_count::live, 4);
    }
    EXPECT_EQ(up.live(), 1u);
}
#endif

} // namespace
