// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/soa/record_reference.hpp>

#include <gtest/gtest.h>

#include "soa/particle.hpp"

#include <memory>
#include <string>
#include <type_traits>
#include <utility>

using namespace arenite;
using namespace soa_test;

namespace {

template <class Layout>
void every_way_to_a_member() {
    auto r = numbered<Layout>(20);
    auto row = r[7];
    EXPECT_EQ(row.template get<&particle::mass>(), 14);
    EXPECT_EQ(row[&particle::mass], 14);
    EXPECT_EQ(row.template get<3>(), "7");
    row.template get<&particle::mass>() = 3;
    row[&particle::mass] += 1;
    auto [flag, position, mass, name] = row;
    static_assert(std::is_same_v<decltype(position), vector3&>);
    EXPECT_EQ(mass, 4);
    name = "seven";
    position.y = 9;
    EXPECT_EQ(r[7][&particle::name], "seven");
    EXPECT_EQ(r[7][&particle::position].y, 9);

    double particle::*late = flag == 'h' ? &particle::mass : nullptr;
    EXPECT_EQ(r[6][late], 12);

    const auto& c = r;
    static_assert(std::is_same_v<decltype(c[0].template get<&particle::mass>()), const double&>);
    static_assert(std::is_same_v<decltype(c[0][&particle::mass]), const double&>);
    EXPECT_EQ(c[7][&particle::mass], 4);
    auto [cflag, cposition, cmass, cname] = c[7];
    static_assert(std::is_same_v<decltype(cname), const std::string&>);
    EXPECT_EQ(cname, "seven");
}

TEST(record_reference, every_way_leads_to_the_member) {
    every_way_to_a_member<layout::soa>();
    every_way_to_a_member<layout::aos>();
    every_way_to_a_member<layout::aosoa<8>>();
}

template <class Layout>
void assigned() {
    auto r = numbered<Layout>(5);
    r[1] = nth(9);
    EXPECT_EQ(particle(r[1]), nth(9));
    r[2] = r[3]; // members, not the reference
    EXPECT_EQ(particle(r[2]), nth(3));
    EXPECT_EQ(particle(r[3]), nth(3));
    auto copy = r[0];
    copy = r[4];
    EXPECT_EQ(particle(r[0]), nth(4));
    swap(r[1], r[4]);
    EXPECT_EQ(particle(r[1]), nth(4));
    EXPECT_EQ(particle(r[4]), nth(9));
    const particle taken = r[4].take();
    EXPECT_EQ(taken, nth(9));
}

TEST(record_reference, is_assigned_to_as_the_row) {
    assigned<layout::soa>();
    assigned<layout::aos>();
    assigned<layout::aosoa<2>>();
}

struct fruit {
    int first, second, third;
};

TEST(record_reference, tells_members_of_one_type_apart) {
    records<fruit, layout::soa> r{{1, 2, 3}};
    EXPECT_EQ(r[0][&fruit::first], 1);
    EXPECT_EQ(r[0][&fruit::second], 2);
    EXPECT_EQ(r[0][&fruit::third], 3);
    int fruit::*members[]{&fruit::third, &fruit::first};
    EXPECT_EQ(r[0][members[0]] * 10 + r[0][members[1]], 31);
}

TEST(record_reference, const_ones_convert_and_take_no_assignment) {
    using reference = records<fruit>::reference;
    using const_reference = records<fruit>::const_reference;
    static_assert(std::is_convertible_v<reference, const_reference>);
    static_assert(!std::is_convertible_v<const_reference, reference>);
    static_assert(!std::is_assignable_v<const_reference&, const fruit&>);
}

class secret {
public:
    int shown = 1;
    int unlisted = 2;

private:
    friend struct arenite::describe<secret>;
    int hidden_ = 3;
};

} // namespace

template <>
struct arenite::describe<secret> {
    using members = member_list<&secret::shown, &secret::hidden_>;
};

namespace {

TEST(record_reference_death, a_member_that_is_not_listed_is_a_contract_violation) {
    records<secret, layout::soa> r{{}};
    EXPECT_EQ(r[0].get<1>(), 3);
    EXPECT_EQ(r[0][&secret::shown], 1);
    EXPECT_DEATH(static_cast<void>(r[0][&secret::unlisted]), "not listed in describe<T>");
}

} // namespace
