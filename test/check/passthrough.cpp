// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/check/passthrough.hpp>

#include "support/environment.hpp"
#include "support/mappings.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <ostream>
#include <string>
#include <string_view>

using namespace arenite;

namespace {

// Asked before main; a restarted child must see its own environment.
const bool before_main = passthrough();

bool environment_says_yes() {
    const char* text = std::getenv("ARENITE_PASSTHROUGH");
    return text != nullptr && *text != '\0' && std::string_view{text} != "0";
}

TEST(passthrough, follows_the_environment_from_before_main) {
    EXPECT_EQ(before_main, environment_says_yes());
    EXPECT_EQ(passthrough(), before_main);
}

TEST(passthrough, is_asked_once) {
    const bool at_first = passthrough();
    const support::environment changed{"ARENITE_PASSTHROUGH", at_first ? "0" : "1"};
    EXPECT_EQ(passthrough(), at_first);
}

TEST(passthrough, tests_can_set_it_and_set_it_back) {
    const bool before = detail::set_passthrough_for_test(true);
    EXPECT_TRUE(passthrough());
    EXPECT_TRUE(detail::set_passthrough_for_test(false));
    EXPECT_FALSE(passthrough());
    EXPECT_FALSE(detail::set_passthrough_for_test(before));
    EXPECT_EQ(passthrough(), before);
}

// Each word is given to a fresh process, which must agree with what is expected of it.
struct word {
    const char* text;
    bool yes;

    // Its bytes would be an address, and padding.
    friend void PrintTo(const word& w, std::ostream* out) { *out << '"' << w.text << '"'; }
};
class passthrough_death : public testing::TestWithParam<word> {};

TEST_P(passthrough_death, understands) {
    if (support::emulated())
        GTEST_SKIP() << "a fresh process would run without the emulator";
    GTEST_FLAG_SET(death_test_style, "threadsafe"); // a fresh process, environment and all
    const support::environment changed{"ARENITE_PASSTHROUGH", GetParam().text};
    EXPECT_EXIT(std::_Exit(passthrough() ? 10 : 20),
                testing::ExitedWithCode(GetParam().yes ? 10 : 20), "");
}

INSTANTIATE_TEST_SUITE_P(words, passthrough_death,
                         testing::Values(word{"1", true}, word{"0", false}, word{"", false},
                                         word{"yes", true}, word{"00", true}),
                         [](const auto& which) {
                             return which.param.text[0] == '\0' ? std::string{"nothing"}
                                                                : std::string{which.param.text};
                         });

} // namespace
