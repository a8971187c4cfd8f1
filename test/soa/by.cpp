// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/soa/by.hpp>

#include <gtest/gtest.h>

#include "soa/particle.hpp"

#include <type_traits>
#include <utility>

using namespace arenite;
using namespace soa_test;

namespace {

TEST(by, is_the_member_of_an_object_and_of_a_row) {
    auto r = numbered<layout::soa>(3);
    particle p = nth(5);
    EXPECT_EQ(&by<&particle::mass>(p), &p.mass);
    EXPECT_EQ(&by<&particle::mass>(r[2]), &r[2].get<&particle::mass>());
    static_assert(std::is_same_v<decltype(by<&particle::mass>(std::as_const(p))), const double&>);
    static_assert(
        std::is_same_v<decltype(by<&particle::mass>(std::as_const(r)[2])), const double&>);
}

} // namespace
