// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/soa/column_view.hpp>

#include <gtest/gtest.h>

#include "soa/particle.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <ranges>
#include <type_traits>
#include <utility>

using namespace arenite;
using namespace soa_test;

namespace {

template <class Layout>
void one_member_of_all_rows() {
    auto r = numbered<Layout>(21);
    auto masses = r.template column<&particle::mass>();
    static_assert(std::random_access_iterator<decltype(masses.begin())>);
    static_assert(std::ranges::view<decltype(masses)>);
    static_assert(std::ranges::borrowed_range<decltype(masses)>);
    EXPECT_EQ(masses.size(), 21u);
    EXPECT_EQ(masses[20], 40);
    EXPECT_EQ(&masses[5], &r[5].template get<&particle::mass>());
    for (double& mass : masses)
        mass += 1;
    EXPECT_EQ(r[20][&particle::mass], 41);
    std::ranges::sort(masses, std::ranges::greater{}); // this column alone
    EXPECT_EQ(masses[0], 41);
    EXPECT_EQ(r[0][&particle::name], "0");
    EXPECT_EQ(masses.begin()[3], masses[3]);
    EXPECT_EQ((r.template column<&particle::name>().begin() + 2)->size(), 1u);
    static_assert(std::is_same_v<decltype(std::as_const(r).template column<&particle::mass>()[0]),
                                 const double&>);
}

TEST(column_view, is_one_member_of_all_rows) {
    one_member_of_all_rows<layout::soa>();
    one_member_of_all_rows<layout::aos>();
    one_member_of_all_rows<layout::aosoa<4>>();
}

TEST(column_view, becomes_one_that_changes_nothing) {
    auto r = numbered<layout::soa>(21);
    using changing = column_view<particle, layout::soa, &particle::mass>;
    using reading = column_view<particle, layout::soa, &particle::mass, true>;
    const reading masses = r.column<&particle::mass>();
    EXPECT_EQ(masses.size(), 21u);
    EXPECT_EQ(masses[20], 40);
    static_assert(!std::is_convertible_v<reading, changing>);
}

TEST(column_view, of_no_rows_is_empty) {
    const records<particle> none;
    EXPECT_TRUE(none.column<&particle::mass>().empty());
    EXPECT_EQ(std::ranges::distance(none.column<&particle::mass>()), 0);
}

TEST(column_view_death, checked_builds_find_a_view_that_is_used_after_growth) {
    if constexpr (!checks_enabled) {
        GTEST_SKIP() << "only checked builds count generations";
    } else {
        auto r = numbered<layout::soa>(21);
        const auto masses = r.column<&particle::mass>();
        EXPECT_DEATH(static_cast<void>(masses[21]), "there is no row 21 in records of 21 rows");
        r.push_back({}); // there is room
        EXPECT_EQ(masses[20], 40);
        r.reserve(r.capacity() + 1);
        EXPECT_DEATH(static_cast<void>(masses[0]), "this column was taken before the records grew");
        const auto later = r.column<&particle::mass>();
        r.pop_back();
        EXPECT_DEATH(static_cast<void>(*later.begin()), "grew or lost rows");
    }
}

} // namespace
