// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/core/config.hpp>

#include <gtest/gtest.h>

#include <string_view>

namespace {

#define ARENITE_TEST_TEXT_OF(x) #x
#define ARENITE_TEST_TEXT(x) ARENITE_TEST_TEXT_OF(x)

TEST(config, checked_and_unchecked_code_have_different_names) {
    const std::string_view name = ARENITE_TEST_TEXT(ARENITE_ABI_NAME);
    EXPECT_EQ(name, arenite::checks_enabled ? "v0_1_checked" : "v0_1");
}

TEST(config, checks_follow_the_macro) {
    static_assert(arenite::checks_enabled == (ARENITE_CHECKS == 1));
    static_assert(ARENITE_CHECKS == 0 || ARENITE_CHECKS == 1);
}

TEST(config, exceptions_are_seen) {
#if defined(__cpp_exceptions)
    static_assert(ARENITE_EXCEPTIONS == 1);
#else
    static_assert(ARENITE_EXCEPTIONS == 0);
#endif
}

ARENITE_INLINE int inlined(int x) { return x + 1; }
ARENITE_COLD int cold(int x) { return x + 2; }
ARENITE_NOINLINE int apart(int x) { return x + 3; }

TEST(config, the_attributes_are_accepted_on_functions) {
    EXPECT_EQ(inlined(1) + cold(1) + apart(1), 9);
}

} // namespace
