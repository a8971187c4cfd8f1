// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/core/detail/extremes.hpp>

#include <gtest/gtest.h>

#include <cstddef>

using namespace arenite;

namespace {

TEST(extremes, are_those_of_the_standard_library) {
    static_assert(detail::smaller(2, 3) == 2 && detail::smaller(3, 2) == 2);
    static_assert(detail::larger(2, 3) == 3 && detail::larger(3, 2) == 3);
    static_assert(detail::larger<std::size_t>(1, sizeof(int)) == sizeof(int));
    const int a = 5, b = 5;
    EXPECT_EQ(&detail::smaller(a, b), &a);
    EXPECT_EQ(&detail::larger(a, b), &a);
}

} // namespace
