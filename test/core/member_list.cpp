// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/core/member_list.hpp>

#include <gtest/gtest.h>

#include <type_traits>

using namespace arenite;

namespace {

struct point {
    int x, y;
};

TEST(member_list, has_an_order) {
    static_assert(
        !std::is_same_v<member_list<&point::x, &point::y>, member_list<&point::y, &point::x>>);
    static_assert(std::is_empty_v<member_list<&point::x>>);
}

} // namespace
