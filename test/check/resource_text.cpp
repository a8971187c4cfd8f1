// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/check/detail/resource_text.hpp>

#include <gtest/gtest.h>

#include <cstdio>
#include <string>

using namespace arenite;

namespace {

TEST(resource_text, names_a_resource_and_says_where_it_is) {
    const int here = 0;
    char address[32];
    std::snprintf(address, sizeof address, "%p", static_cast<const void*>(&here));
    EXPECT_EQ(detail::resource_text({.kind = "heap", .resource = &here}).text,
              "heap " + std::string{address});
    EXPECT_EQ(detail::resource_text({.kind = "heap", .resource = &here, .name = "level"}).text,
              "heap level (" + std::string{address} + ")");
    const std::string endless(1000, 'x');
    EXPECT_EQ(detail::resource_text({.kind = "heap", .name = endless.c_str()}).text,
              "heap " + std::string(154, 'x'));
}

TEST(resource_text_death, all_resources_refuse_null_in_the_same_words) {
    int object = 0;
    detail::refuse_if_null(&object);
    EXPECT_DEATH(detail::refuse_if_null(nullptr), "null was freed: deallocate takes what allocate");
}

} // namespace
