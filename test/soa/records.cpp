// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/soa/records.hpp>

#include <gtest/gtest.h>

#include "soa/particle.hpp"
#include "support/counting_resource.hpp"
#include "support/region_list.hpp"
#include "support/throwing_resource.hpp"

#include <compare>
#include <concepts>
#include <cstddef>
#include <memory>
#include <new>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

using namespace arenite;
using namespace soa_test;

namespace {

template <class Layout>
void grown_and_shrunk() {
    support::counting_resource up;
    records<particle, Layout> r{&up};
    EXPECT_EQ(up.calls(), 0u) << "nothing is allocated before the first row";
    for (int i = 0; i < 1000; ++i)
        r.push_back(nth(i));
    EXPECT_EQ(up.live(), 1u) << "one allocation";
    EXPECT_EQ(up.live_bytes(), r.bytes_reserved());
    EXPECT_LT(up.calls(), 12u) << "growing doubles";

    auto inserted = r.insert(r.begin() + 10, nth(5));
    EXPECT_EQ(inserted.row(), 10u);
    EXPECT_EQ(particle(*inserted), nth(5));
    EXPECT_EQ(particle(r[11]), nth(10));
    EXPECT_EQ(particle(r.back()), nth(999));
    EXPECT_EQ(r.erase(r.begin() + 10).row(), 10u);
    EXPECT_EQ(particle(r[10]), nth(10));
    EXPECT_EQ(r.erase(r.begin() + 3, r.begin() + 7).row(), 3u);
    EXPECT_EQ(particle(r[3]), nth(7));
    EXPECT_EQ(r.size(), 996u);
    r.swap_erase(0);
    EXPECT_EQ(particle(r[0]), nth(999));
    EXPECT_EQ(particle(r.back()), nth(998));
    r.swap_erase(r.size() - 1);
    r.pop_back();
    EXPECT_EQ(particle(r.back()), nth(996));
    EXPECT_EQ((*r.emplace(r.begin(), 'e')).template get<&particle::name>(), "no name");

    r.resize(3);
    EXPECT_EQ(particle(r[2]), nth(1));
    r.resize(5);
    EXPECT_EQ(particle(r[4]), particle{}) << "the type's own defaults";
    r.resize(7, nth(8));
    EXPECT_EQ(particle(r[6]), nth(8));
    r.shrink_to_fit();
    EXPECT_LE(r.capacity(), 64u);
    EXPECT_EQ(particle(r[6]), nth(8));
    EXPECT_EQ(particle(r.front()).flag, 'e');
    r.clear();
    EXPECT_TRUE(r.empty());
    r.shrink_to_fit();
    EXPECT_EQ(up.live(), 0u);
}

TEST(records, grow_and_shrink) {
    grown_and_shrunk<layout::soa>();
    grown_and_shrunk<layout::aos>();
    grown_and_shrunk<layout::aosoa<8>>();
}

TEST(records, columns_are_aligned_and_the_span_is_the_column) {
    auto r = numbered<layout::soa>(70);
    const auto masses = r.contiguous_column<&particle::mass>();
    static_assert(std::is_same_v<decltype(masses), const std::span<double>>);
    EXPECT_EQ(masses.size(), 70u);
    EXPECT_EQ(masses.data(), &r[0].get<&particle::mass>());
    EXPECT_EQ(&masses[69], &r[69].get<&particle::mass>());
    EXPECT_TRUE(is_aligned(masses.data(), 64));
    EXPECT_TRUE(is_aligned(r.contiguous_column<&particle::position>().data(), 64));
    EXPECT_TRUE(is_aligned(r.contiguous_column<&particle::name>().data(), 64));
    static_assert(std::is_same_v<decltype(std::as_const(r).contiguous_column<&particle::mass>()),
                                 std::span<const double>>);
}

template <class Layout>
void visited() {
    auto r = numbered<Layout>(21); // the last block is not full
    int calls = 0;
    r.template for_each<&particle::mass, &particle::position>(
        [&calls](double& mass, const vector3& position) {
            mass += static_cast<double>(position.x);
            ++calls;
        });
    EXPECT_EQ(calls, 21);
    double sum = 0;
    std::as_const(r).template for_each<&particle::mass>([&sum](const double& m) { sum += m; });
    EXPECT_EQ(sum, 3 * 210);
}

TEST(records, for_each_visits_each_row_once) {
    visited<layout::soa>();
    visited<layout::aos>();
    visited<layout::aosoa<8>>();
}

TEST(records, take_what_is_in_their_own_rows) {
    auto r = numbered<layout::aos>(4);
    r.shrink_to_fit();
    ASSERT_EQ(r.size(), r.capacity());
    const particle& own = *reinterpret_cast<const particle*>(&r[1].get<&particle::flag>());
    r.push_back(own); // which grows
    EXPECT_EQ(particle(r[4]), nth(1));
    r.shrink_to_fit();
    r.resize(9, *reinterpret_cast<const particle*>(&r[2].get<&particle::flag>()));
    EXPECT_EQ(particle(r[8]), nth(2));
    auto c = numbered<layout::soa>(64);
    ASSERT_EQ(c.size(), c.capacity());
    c.emplace_back('o', c[2].get<&particle::position>(), 1.0, c[3].get<&particle::name>());
    EXPECT_EQ(c[64][&particle::name], "3");
    c.insert(c.begin(), c[5]);
    EXPECT_EQ(particle(c[0]), nth(5));
    c.resize(200, c[6]);
    EXPECT_EQ(particle(c[199]), nth(5));
}

TEST(records, are_copied_moved_and_swapped) {
    support::counting_resource up;
    support::counting_resource other;
    records<particle> a{{nth(1), nth(2)}, &up};
    records<particle> b = a;
    EXPECT_EQ(b.source().get(), &up);
    records<particle> c{a, &other};
    EXPECT_EQ(other.live(), 1u);
    EXPECT_EQ(particle(c[1]), nth(2));
    c.push_back(nth(3));
    c = a; // keeps its own resource
    EXPECT_EQ(c.source().get(), &other);
    EXPECT_EQ(c.size(), 2u);
    c = std::move(b); // takes the other's
    EXPECT_EQ(c.source().get(), &up);
    EXPECT_EQ(other.live(), 0u);
    EXPECT_TRUE(b.empty()); // NOLINT(bugprone-use-after-move)
    b.push_back(nth(4));
    swap(b, c);
    EXPECT_EQ(particle(c[0]), nth(4));
    EXPECT_EQ(b.size(), 2u);
    records<particle> d{std::move(b)};
    EXPECT_EQ(particle(d[0]), nth(1));
}

struct owner {
    std::unique_ptr<int> owned;
    int key = 0;
};

TEST(records, keep_types_that_only_move) {
    static_assert(!std::is_copy_constructible_v<records<owner>>);
    static_assert(std::is_nothrow_move_constructible_v<records<owner>>);
    records<owner> r;
    for (int i = 0; i < 40; ++i)
        r.push_back({std::make_unique<int>(i), i});
    r.insert(r.begin() + 1, owner{std::make_unique<int>(100), 100});
    r.erase(r.begin());
    r.swap_erase(1);
    r.resize(50);
    EXPECT_EQ(*r[0][&owner::owned], 100);
    EXPECT_EQ(*r[1][&owner::owned], 39);
    EXPECT_EQ(r[49][&owner::owned], nullptr);
}

template <class Layout>
void used_as_a_vector() {
    auto r = numbered<Layout>(5);
    const std::vector<particle> more{nth(10), nth(11), nth(12)};
    r.append_range(more);
    EXPECT_EQ(particle(r.back()), nth(12));
    EXPECT_EQ(particle(*r.rbegin()), nth(12));
    EXPECT_EQ(std::as_const(r).rend() - r.crbegin(), 8);
    EXPECT_EQ(r.insert_range(r.begin() + 1, more).row(), 1u);
    EXPECT_EQ(particle(r[3]), nth(12));
    EXPECT_EQ(particle(r[4]), nth(1));
    EXPECT_EQ(r.insert(r.begin(), 2, nth(7)).row(), 0u);
    EXPECT_EQ(r.size(), 13u);

    auto same = r;
    EXPECT_TRUE(same == r);
    EXPECT_EQ(erase_if(r, [](const particle& p) { return p == nth(7); }), 2u);
    EXPECT_EQ(erase_if(r, [](auto row) { return row.template get<&particle::mass>() >= 20; }), 6u);
    EXPECT_TRUE(r == numbered<Layout>(5));
    EXPECT_FALSE(r == same);
    same.assign(r.begin() + 1, r.begin() + 3);
    EXPECT_TRUE(same == (records<particle, Layout>{nth(1), nth(2)}));
    same.assign(3, same[1]); // by its own row
    EXPECT_TRUE(same == (records<particle, Layout>(3, nth(2))));
    same.assign({nth(4)});
    EXPECT_TRUE(same == (records<particle, Layout>{1, nth(4)}));
    same = records<particle, Layout>(more.begin(), more.end());
    EXPECT_EQ(particle(same[2]), nth(12));
}

TEST(records, do_what_a_vector_does) {
    used_as_a_vector<layout::soa>();
    used_as_a_vector<layout::aosoa<8>>();
}

struct point {
    int x = 0, y = 0;
    friend auto operator<=>(const point&, const point&) = default;
};

TEST(records, are_ordered_as_vectors_are) {
    const records<point> a{{1, 2}, {3, 4}};
    const records<point> longer{{1, 2}, {3, 4}, {0, 0}};
    const records<point> greater{{1, 3}};
    EXPECT_TRUE(a < longer);
    EXPECT_TRUE(longer < greater);
    EXPECT_TRUE(a <=> records<point>(a) == 0);
    static_assert(!std::equality_comparable<records<owner>>);
    static_assert(!std::three_way_comparable<records<particle>>);
}

template <class Layout>
void told_of() {
    support::counting_resource up;
    records<particle, Layout> r{&up};
    EXPECT_EQ(r.usage(), arenite::usage{});
    EXPECT_TRUE(support::region_list{r}.all().empty());
    constexpr std::size_t row_bytes = detail::row_memory<particle, Layout>::row_bytes;
    for (const std::size_t rows : {1u, 7u, 8u, 21u, 64u}) {
        r.resize(rows);
        EXPECT_EQ(r.usage().bytes_in_use, rows * row_bytes);
        EXPECT_EQ(r.usage().bytes_reserved, up.live_bytes());
        EXPECT_EQ(r.usage().live_allocations, rows);
        const support::region_list list{r};
        EXPECT_EQ(list.bytes(), up.live_bytes());
        EXPECT_GE(list.bytes(region_state::used), rows * row_bytes);
        EXPECT_EQ(list.at(&r.back().template get<&particle::mass>())->state, region_state::used);
        const std::byte* end = static_cast<const std::byte*>(list.all()[0].address);
        for (const region& part : list.all()) {
            EXPECT_EQ(part.address, end) << "in order and without a gap";
            EXPECT_NE(part.bytes, 0u);
            end += part.bytes;
        }
    }
}

TEST(records, tell_what_their_memory_holds) {
    told_of<layout::soa>();
    told_of<layout::aos>();
    told_of<layout::aosoa<8>>();
}

TEST(records, refuse_counts_that_have_no_size) {
    records<particle> r{{nth(1)}};
    EXPECT_FALSE(r.try_reserve(std::size_t(-1)));
    EXPECT_FALSE(r.try_reserve(records<particle>::max_size() + 1));
    EXPECT_TRUE(r.try_reserve(1000));
    EXPECT_GE(r.capacity(), 1000u);
#if ARENITE_EXCEPTIONS
    EXPECT_THROW(r.reserve(std::size_t(-1)), std::bad_array_new_length);
    EXPECT_THROW(r.resize(std::size_t(-1)), std::bad_array_new_length);
    EXPECT_THROW(r.resize(records<particle>::max_size() + 1, nth(1)), std::bad_array_new_length);
    EXPECT_THROW(r.insert(r.end(), std::size_t(-1), nth(1)), std::bad_array_new_length);
    EXPECT_THROW(r.insert(r.begin(), records<particle>::max_size(), nth(1)),
                 std::bad_array_new_length);
    EXPECT_THROW((records<particle>{std::size_t(-1)}), std::bad_array_new_length);
#endif
    EXPECT_EQ(r.size(), 1u);
    EXPECT_EQ(particle(r[0]), nth(1));
}

TEST(records, an_upstream_that_fails_changes_nothing) {
    support::counting_resource up;
    records<particle> r{{nth(1)}, &up};
    r.resize(r.capacity());
    const std::size_t full = r.size();
    up.fail_after(0);
    EXPECT_FALSE(r.try_reserve(full + 1));
#if ARENITE_EXCEPTIONS
    EXPECT_THROW(r.push_back(nth(2)), out_of_memory);
    EXPECT_THROW(r.insert(r.begin(), nth(2)), out_of_memory);
    EXPECT_THROW(r.resize(full + 1), out_of_memory);
    EXPECT_THROW(r.append_range(r), out_of_memory);
    EXPECT_THROW(r.assign(1, nth(2)), out_of_memory);
    r.pop_back();
    EXPECT_THROW(r.insert(r.begin(), 1, nth(2)), out_of_memory)
        << "made apart, though there is room";
    r.push_back(particle{});
    EXPECT_THROW(r.reserve(full + 1), out_of_memory);
    EXPECT_THROW((records<particle>{r}), out_of_memory);
    support::throwing_resource user{up};
    EXPECT_THROW((records<particle>{1, &user}), out_of_memory);
#endif
    EXPECT_EQ(r.size(), full);
    EXPECT_EQ(particle(r[0]), nth(1));
}

TEST(records_death, checked_builds_find_rows_that_are_not_there) {
    if constexpr (!checks_enabled) {
        GTEST_SKIP() << "only checked builds look at indices";
    } else {
        auto r = numbered<layout::aos>(3);
        records<particle> none;
        EXPECT_DEATH(static_cast<void>(r[3]), "there is no row 3 in records of 3 rows");
        EXPECT_DEATH(static_cast<void>(none.front()), "there is no row 0 in records of 0 rows");
        EXPECT_DEATH(static_cast<void>(none.back()), "records of 0 rows have no last row");
        EXPECT_DEATH(none.pop_back(), "records of 0 rows have no last row");
        EXPECT_DEATH(r.swap_erase(3), "there is no row 3");
        EXPECT_DEATH(static_cast<void>(r.end()[0].get<&particle::mass>()), "no row 3");
        EXPECT_DEATH(r.erase(r.end()), "this iterator is at row 3");
        EXPECT_DEATH(r.erase(r.begin() + 2, r.begin() + 1), "this iterator is at row 2");
        EXPECT_DEATH(r.erase(r.begin(), r.begin() + 4), "this iterator is at row 4");
        auto other = numbered<layout::aos>(3);
        EXPECT_DEATH(r.insert(other.begin(), nth(1)), "this iterator is of other records");
        const auto old = r.begin();
        const auto row = r[0];
        r.reserve(1000);
        EXPECT_DEATH(r.insert(old, nth(1)), "this iterator was taken before");
        EXPECT_DEATH(static_cast<void>(row[&particle::mass]), "this row was taken before");
    }
}

} // namespace
