// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/core/detail/process_object.hpp>

#include <gtest/gtest.h>

using namespace arenite;
using detail::process_object;

namespace {

int plain_made = 0;
int plain_ended = 0;

struct plain {
    plain() { ++plain_made; }
    ~plain() { ++plain_ended; }
    int value = 7;
};

int with_arguments_made = 0;

struct with_arguments {
    explicit with_arguments(int v) : value{v} { ++with_arguments_made; }
    with_arguments(const with_arguments&) = delete;
    with_arguments& operator=(const with_arguments&) = delete;
    int value;
};

struct make_nine {
    with_arguments operator()() const { return with_arguments{9}; }
};

struct one;
struct other;

/// Asked for while static objects are made, and maybe before the library's own turn.
const int seen_early = process_object<plain, one>::get().value;

TEST(process_object, is_made_before_main_once_asked_for_or_not) {
    ASSERT_EQ(plain_made, 2); // one and other
    EXPECT_EQ(&(process_object<plain, one>::get()), &(process_object<plain, one>::get()));
    EXPECT_NE(&(process_object<plain, one>::get()), &(process_object<plain, other>::get()));
    EXPECT_EQ(plain_made, 2);
    EXPECT_EQ(plain_ended, 0);
    EXPECT_EQ(seen_early, 7);
}

TEST(process_object, is_made_in_place_by_a_function_where_one_is_given) {
    ASSERT_EQ(with_arguments_made, 1);
    EXPECT_EQ((process_object<with_arguments, with_arguments, make_nine>::get().value), 9);
    EXPECT_EQ(with_arguments_made, 1);
}

} // namespace
