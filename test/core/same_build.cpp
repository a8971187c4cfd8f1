// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/core/detail/same_build.hpp>

#include <gtest/gtest.h>

#include <string_view>

namespace {

#define ARENITE_TEST_TEXT_OF(x) #x
#define ARENITE_TEST_TEXT(x) ARENITE_TEST_TEXT_OF(x)

// The message for a plug-in of the other kind is tested in test/plugin.
TEST(same_build, the_library_here_is_the_one_that_this_is_compiled_for) {
    EXPECT_EQ(arenite::detail::same_build, &ARENITE_SAME_BUILD);
    const std::string_view sentence = ARENITE_TEST_TEXT(ARENITE_SAME_BUILD);
    EXPECT_EQ(sentence.find("built_with_ARENITE_CHECKS") != sentence.npos, arenite::checks_enabled);
}

} // namespace
