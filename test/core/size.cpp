// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/core/detail/size.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <limits>

#include "support/addresses.hpp"

using namespace arenite;

namespace {

constexpr std::size_t largest = std::numeric_limits<std::size_t>::max();

TEST(size, no_object_is_larger_than_a_pointer_difference) {
    static_assert(detail::max_object_bytes == largest / 2);
}

TEST(size, sums_that_fit_are_exact) {
    static_assert(detail::checked_add(0, 0) == 0);
    static_assert(detail::checked_add(2, 3) == 5);
    static_assert(detail::checked_add(largest, 0) == largest);
    static_assert(detail::checked_add(largest - 7, 7) == largest);
}

TEST(size, sums_that_do_not_fit_are_nothing) {
    static_assert(!detail::checked_add(largest, 1));
    static_assert(!detail::checked_add(1, largest));
    static_assert(!detail::checked_add(largest, largest));
}

TEST(size, products_that_fit_are_exact) {
    static_assert(detail::checked_multiply(0, largest) == 0);
    static_assert(detail::checked_multiply(largest, 0) == 0);
    static_assert(detail::checked_multiply(largest, 1) == largest);
    static_assert(detail::checked_multiply(1, largest) == largest);
    static_assert(detail::checked_multiply(largest / 3, 3) == largest / 3 * 3);
    static_assert(detail::checked_multiply(48, 1'000'000) == 48'000'000);
}

TEST(size, products_that_do_not_fit_are_nothing) {
    static_assert(!detail::checked_multiply(largest, 2));
    static_assert(!detail::checked_multiply(largest / 3 + 1, 3));
    static_assert(!detail::checked_multiply(largest / 2 + 1, largest / 2 + 1));
}

TEST(size, multiples_that_fit_are_exact) {
    static_assert(detail::checked_align_up(0, 4096) == 0);
    static_assert(detail::checked_align_up(1, 4096) == 4096);
    static_assert(detail::checked_align_up(4096, 4096) == 4096);
    static_assert(detail::checked_align_up(largest, 1) == largest);
    static_assert(detail::checked_align_up(largest - 15, 16) == largest - 15);
    static_assert(detail::checked_align_up(2, support::largest_power) == support::largest_power);
}

TEST(size, multiples_that_do_not_fit_are_nothing) {
    static_assert(!detail::checked_align_up(largest, 2));
    static_assert(!detail::checked_align_up(largest - 14, 16));
    static_assert(!detail::checked_align_up(support::largest_power + 1, support::largest_power));
}

} // namespace
