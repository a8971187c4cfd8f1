// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "program.hpp"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <prove/prove.hpp>
#include <unistd.h>

namespace arenite::advisor {
namespace {

std::string temporary(const std::string& end) {
    return std::filesystem::temp_directory_path() /
           ("arenite-prove-test-" + std::to_string(::getpid()) + end);
}

/// Records a program, and proves a route on it.
finished prove_on(const std::string& program, const std::string& options) {
    const std::string trace = temporary(".trace");
    const finished r = shell("$A record -o " + trace + " -- " + program + " > /dev/null 2>&1; " +
                             "$A prove --turns 1 " + options + " " + trace + " -- " + program);
    std::filesystem::remove(trace);
    return r;
}

/// How many allocations the heaps served, and how many came back.
std::pair<long, long> served(const finished& r) {
    std::string digits = r.text;
    std::erase(digits, ',');
    const std::size_t at = digits.find(" allocations were served by the heaps ");
    if (at == std::string::npos)
        return {-1, -1};
    const std::size_t begin = digits.rfind('\n', at) + 1;
    return {std::stol(digits.substr(begin)),
            std::stol(
                digits.substr(at + std::string{" allocations were served by the heaps "}.size()))};
}

class prove_every_heap : public testing::TestWithParam<const char*> {};

TEST_P(prove_every_heap, serves_every_entry_point_and_takes_all_back) {
    const finished r =
        prove_on(ARENITE_RECORDED " entries", std::string{"--route all="} + GetParam());
    ASSERT_EQ(r.code, 0) << r.text;
    const auto [taken, given] = served(r);
    if (GetParam() == std::string{"pools"}) { // its objects are larger than what pools serve
        EXPECT_LE(taken, 100) << r.text;
        EXPECT_EQ(r.text.find("; 0 went to malloc"), std::string::npos) << r.text;
        return;
    }
    EXPECT_GE(taken, 22 * 100) << r.text;
    EXPECT_LE(taken - given, 20) << r.text; // what the C library keeps to the end
}

TEST_P(prove_every_heap, serves_objects_that_threads_hand_over_and_resize) {
    const finished r =
        prove_on(ARENITE_RECORDED " handing_over", std::string{"--route all="} + GetParam());
    ASSERT_EQ(r.code, 0) << r.text;
    const auto [taken, given] = served(r);
    EXPECT_GE(taken, 80000) << r.text;
    EXPECT_LE(taken - given, 20) << r.text;
    EXPECT_EQ(r.text.find("ends with"), std::string::npos) << r.text;
}

TEST_P(prove_every_heap, lives_through_forks_exceptions_and_closed_libraries) {
    for (const std::string mode : {"fork", "throw", "thread_end", "signal", "resize_fails",
                                   "library " ARENITE_RECORDED_LIBRARY}) {
        const finished r = prove_on(std::string{ARENITE_RECORDED " "} + mode,
                                    std::string{"--route all="} + GetParam());
        EXPECT_EQ(r.code, 0) << mode << r.text;
        EXPECT_EQ(r.text.find("ends with"), std::string::npos) << mode << r.text;
    }
}

INSTANTIATE_TEST_SUITE_P(heaps, prove_every_heap, testing::Values("ordered", "pools", "linear"),
                         [](const auto& p) { return std::string{p.param}; });

TEST(prove, routes_the_call_sites_of_the_plan_and_no_others) {
    const finished r = prove_on(ARENITE_RECORDED " stacks", "--route inner=ordered");
    ASSERT_EQ(r.code, 0) << r.text;
    const auto [taken, given] = served(r);
    EXPECT_EQ(taken, 20000) << r.text;
    EXPECT_EQ(given, 20000) << r.text;
}

TEST(prove, makes_no_call_of_the_system_at_each_event) {
    const finished r = prove_on(ARENITE_MASKS, "--route main=ordered");
    ASSERT_EQ(r.code, 0) << r.text;
    EXPECT_EQ(served(r).first, 100'000) << r.text;
    EXPECT_EQ(r.text.find("ends with"), std::string::npos) << r.text;
}

TEST(prove, is_not_proven_where_the_output_differs) {
    const finished r = prove_on(ARENITE_ADVISED " tells", "--route main=ordered");
    EXPECT_EQ(r.code, 0);
    EXPECT_NE(r.text.find("not proven: its output differs"), std::string::npos) << r.text;
}

TEST(prove, is_not_proven_where_the_call_sites_are_not_met) {
    const std::string trace = temporary(".trace");
    const finished r = shell("$A record -o " + trace +
                             " -- " ARENITE_RECORDED
                             " stacks 2> /dev/null; $A prove --turns 1 --route inner=ordered " +
                             trace + " -- " ARENITE_RECORDED " resize_fails");
    std::filesystem::remove(trace);
    EXPECT_NE(r.text.find("not proven: none of these call sites was met"), std::string::npos)
        << r.text;
}

TEST(prove, gives_every_run_of_the_program_the_same_input) {
    const std::string seen = temporary(".seen"), trace = temporary(".trace");
    const std::string program = "sh -c 'wc -c >> " + seen + "; echo a b c'";
    const finished r = shell("$A record -o " + trace + " -- " + program + " < /dev/null; rm " +
                             seen + "; printf 12345 | $A prove --turns 2 " +
                             "--route all=ordered " + trace + " -- " + program);
    EXPECT_EQ(r.code, 0) << r.text;
    EXPECT_EQ(shell("sort -u " + seen).text, "5\n");
    for (const std::string& file : {seen, trace})
        std::filesystem::remove(file);
}

TEST(prove, refuses_bad_input) {
    const std::string trace = temporary(".trace");
    ASSERT_EQ(shell("$A record -o " + trace + " -- " ARENITE_RECORDED " stacks").code, 0);
    const auto refused = [&](const std::string& words, const char* why) {
        const finished r = shell("$A prove --turns 1 " + words);
        EXPECT_EQ(r.code, 2) << r.text;
        EXPECT_NE(r.text.find(why), std::string::npos) << r.text;
    };
    refused(trace, "no program is given");
    refused(trace + " -- no-such-program-at-all", "was not found");
    refused("/nowhere -- /bin/true", "cannot be read");
    refused("--advice 1x " + trace + " -- /bin/true", "1x is no number of an advice");
    refused("--advice=-1 " + trace + " -- /bin/true", "is no number of an advice");
    refused("--advice 99 " + trace + " -- /bin/true", "there is no advice 99");
    refused("--advice 1 --route all=pools " + trace + " -- /bin/true", "one of them");
    const finished r = shell("$A prove --turns 2 --route all=ordered --compare /nowhere/at/all " +
                             trace + " -- " ARENITE_RECORDED " stacks");
    EXPECT_NE(r.text.find("not proven: the program writes no file"), std::string::npos) << r.text;
    const std::string stale = temporary(".stale"), link = temporary(".link");
    std::filesystem::create_symlink(stale, link);
    for (const std::string& name : {stale, link}) {
        std::ofstream{stale} << "of an earlier run";
        EXPECT_NE(shell("$A prove --turns 2 --route all=ordered --compare " + name + " " + trace +
                        " -- " ARENITE_RECORDED " stacks")
                      .text.find("not proven: the program writes no file"),
                  std::string::npos);
        EXPECT_FALSE(std::filesystem::exists(stale));
    }
    std::filesystem::remove(link);
    refused("--route nonsense " + trace + " -- /bin/true", "SITE=KIND");
    refused("--route all=heap " + trace + " -- /bin/true", "there is no heap 'heap'");
    refused("--route all=pools --route inner=ordered " + trace + " -- /bin/true",
            "was chosen before");
    refused("--route no_such_site=pools " + trace + " -- /bin/true", "no call site begins with");
    std::filesystem::remove(trace);
}

TEST(prove, refuses_a_plan_for_a_program_that_has_changed) {
    trace::tables known;
    known.modules.push_back({ARENITE_RECORDED, "0123456789"});
    const std::vector<trace::frame> stack{{1, 100}};
    known.add_stack(stack);
    site s;
    s.stacks = {1};
    s.depths = {1};
    EXPECT_THROW((void)make_plan({{prove::heap_kind::ordered, {0}}}, {s}, known),
                 std::runtime_error);
    s.depths = {0}; // a site without a stack
    EXPECT_THROW((void)make_plan({{prove::heap_kind::ordered, {0}}}, {s}, known),
                 std::runtime_error);
}

} // namespace
} // namespace arenite::advisor
