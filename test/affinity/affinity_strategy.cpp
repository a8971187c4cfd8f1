// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/affinity/affinity_strategy.hpp>

#include <arenite/check/passthrough.hpp>

#include <gtest/gtest.h>

#include "support/counting_resource.hpp"
#include "support/mappings.hpp"

#include <cstdio>
#include <cstdlib>
#include <string>

#if defined(__linux__)
#include <unistd.h>
#endif

using namespace arenite;

namespace {

TEST(affinity_strategy, ordered_is_the_default_and_each_has_its_name) {
    if (passthrough())
        GTEST_SKIP() << "all goes to malloc";
    EXPECT_EQ(affinity_strategy_name(), "ordered");
    use_affinity_strategy(affinity_strategy::intrusive);
    EXPECT_EQ(affinity_strategy_name(), "intrusive");
    use_affinity_strategy(affinity_strategy::slots);
    EXPECT_EQ(affinity_strategy_name(), "slots");
    use_affinity_strategy(affinity_strategy::standard);
    EXPECT_EQ(affinity_strategy_name(), "standard");
    support::counting_resource own;
    use_affinity_strategy(&own);
    EXPECT_EQ(affinity_strategy_name(), "own");
    use_affinity_strategy(affinity_strategy::ordered);
    EXPECT_EQ(affinity_strategy_name(), "ordered");
}

TEST(affinity_strategy, passing_through_is_operator_new_whatever_is_chosen) {
    if (!passthrough())
        GTEST_SKIP() << "nothing passes through";
    EXPECT_EQ(affinity_strategy_name(), "standard");
    use_affinity_strategy(affinity_strategy::intrusive);
    EXPECT_EQ(affinity_strategy_name(), "standard");
}

TEST(affinity_strategy, tells_its_name) {
    std::fprintf(stderr, "strategy %s\n", std::string{affinity_strategy_name()}.c_str());
}

#if defined(__linux__)
// In this program anew, where nobody has asked yet.
TEST(affinity_strategy_death, the_environment_chooses_and_its_errors_are_told) {
    if (passthrough())
        GTEST_SKIP() << "all goes to malloc";
    if (support::emulated())
        GTEST_SKIP() << "a fresh process would run without the emulator";
    const auto with = [](const char* value) {
        ::setenv("ARENITE_AFFINITY", value, 1);
        ::execl("/proc/self/exe", "tests", "--gtest_filter=affinity_strategy.tells_its_name",
                nullptr);
    };
    EXPECT_EXIT(with("slots"), testing::ExitedWithCode(0), "strategy slots");
    EXPECT_EXIT(with("intrusive"), testing::ExitedWithCode(0), "strategy intrusive");
    EXPECT_EXIT(with("standard"), testing::ExitedWithCode(0), "strategy standard");
    EXPECT_EXIT(with(""), testing::ExitedWithCode(0), "strategy ordered");
    EXPECT_EXIT(with("fastest"), testing::ExitedWithCode(0),
                "ARENITE_AFFINITY=fastest is none of ordered, intrusive, slots, standard");
}
#endif

} // namespace
