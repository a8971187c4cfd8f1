// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/core/sizes.hpp>

#include <arenite/freelist/free_list_resource.hpp>
#include <arenite/ordered/ordered_heap.hpp>

#include <gtest/gtest.h>

namespace {

TEST(sizes, are_known_by_the_caller_where_nothing_is_said) {
    EXPECT_EQ(arenite::ordered_options{}.sizes, arenite::sizes::known);
    EXPECT_EQ(arenite::free_list_options{}.sizes, arenite::sizes::known);
}

} // namespace
