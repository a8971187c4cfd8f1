// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/report/sampled_site.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>

#include "support/mappings.hpp"

using namespace arenite;

namespace {

TEST(sampled_site, without_frames_is_not_known) {
    const sampled_site s;
    EXPECT_EQ(s.site(), "not known");
    EXPECT_TRUE(s.names().empty());
}

TEST(sampled_site, names_addresses_that_lie_nowhere) {
    sampled_site s;
    s.frames = {16, 32};
    EXPECT_EQ(s.site(), "0x10");
    EXPECT_EQ(s.names(), (std::vector<std::string>{"0x10", "0x20"}));
}

TEST(sampled_site, is_the_first_function_of_the_program) {
    sampled_site s;
    s.frames = {reinterpret_cast<std::uintptr_t>(&std::malloc) + 5};
    if (s.site().find("malloc+0x5") == std::string::npos)
        GTEST_SKIP() << "no dynamic symbols here, but " << s.site();
    void* (*const library)(std::size_t) = &::operator new;
    s.frames.insert(s.frames.begin(), reinterpret_cast<std::uintptr_t>(library) + 1);
    EXPECT_NE(s.site().find("malloc+0x5"), std::string::npos) << s.names()[0];
}

TEST(sampling, has_an_interval_while_it_is_on) {
    EXPECT_EQ(sampling_interval(), 0u);
    start_sampling({.every_bytes = 4096});
    EXPECT_EQ(sampling_interval(), 4096u);
    start_sampling();
    EXPECT_EQ(sampling_interval(), 512u * 1024);
    stop_sampling();
    EXPECT_EQ(sampling_interval(), 0u);
}

TEST(sampling_death, of_every_0_bytes_is_refused) {
    EXPECT_DEATH(start_sampling({.every_bytes = 0}), "every_bytes must be above 0");
}

#if !defined(_WIN32)
TEST(sampling_death, begins_with_the_program_by_a_whole_number_only) {
    if (support::emulated())
        GTEST_SKIP() << "a fresh process would run without the emulator";
    GTEST_FLAG_SET(death_test_style, "threadsafe"); // a fresh process, environment and all
    constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
    const std::string above = std::to_string(most) + "0";
    struct {
        std::string text;
        std::size_t interval;
        const char* complaint;
    } const cases[] = {{"524288", 524288, ""},
                       {"", 0, ""},
                       {std::to_string(most), most - 1, ""},
                       {"512K", 0, "ARENITE_SAMPLE=512K is no whole number"},
                       {"-1", 0, "ARENITE_SAMPLE=-1 is no whole number"},
                       {" 7", 0, "ARENITE_SAMPLE= 7 is no whole number"},
                       {above, 0, "is no whole number that fits"}};
    for (const auto& c : cases) {
        ::setenv("ARENITE_SAMPLE", c.text.c_str(), 1);
        EXPECT_EXIT(std::_Exit(sampling_interval() == c.interval ? 10 : 20),
                    testing::ExitedWithCode(10), c.complaint)
            << c.text;
    }
    ::unsetenv("ARENITE_SAMPLE");
}
#endif

} // namespace
