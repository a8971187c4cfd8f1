// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/core/sizes.hpp>

#include <arenite/freelist/free_list_resource.hpp>
#include <arenite/ordered/ordered_heap.hpp>

#include <gtest/gtest.h>

namespace {

TEST(sizes, are_given_by_the_caller_where_nothing_is_said) {
    EXPECT_EQ(arenite::ordered_options{}.sizes, arenite::sizes::given);
    EXPECT_EQ(arenite::free_list_options{}.sizes, arenite::sizes::given);
}

#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#endif

TEST(sizes, given_is_known_under_its_former_name) {
    static_assert(arenite::sizes::known == arenite::sizes::given);
    arenite::ordered_heap heap{arenite::ordered_options{.sizes = arenite::sizes::known}};
    EXPECT_FALSE(heap.keeps_sizes());
}

#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

} // namespace
