// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/report/detail/site_formats.hpp>

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

using namespace arenite::detail;

namespace {

TEST(site_formats, shorten_names_of_functions) {
    EXPECT_EQ(short_name_of_function("load_level(int)+0x1f"), "load_level");
    EXPECT_EQ(short_name_of_function("void scene::load<int>(std::vector<int>&)+0x1f"),
              "scene::load");
    EXPECT_EQ(short_name_of_function("(anonymous namespace)::make(int) const+0x3"), "make");
    EXPECT_EQ(short_name_of_function("std::map<int, a (*)(b)>::insert(int) [clone .cold]"),
              "std::map::insert");
    EXPECT_EQ(short_name_of_function("game+0x5a12"), "game+0x5a12");
    EXPECT_EQ(short_name_of_function("main()+0x5"), "main");
    EXPECT_EQ(short_name_of_function("operator new(unsigned long)"), "operator new(unsigned long)");
    EXPECT_EQ(short_name_of_function(""), "");
}

TEST(site_formats, know_functions_of_libraries) {
    EXPECT_TRUE(is_of_a_library("arenite::v0_1::ordered_heap::try_allocate(unsigned long)"));
    EXPECT_TRUE(is_of_a_library("void std::vector<int>::push_back(int const&)"));
    EXPECT_FALSE(is_of_a_library("load(arenite::v0_1::ordered_heap&)+0x4"));
    EXPECT_FALSE(is_of_a_library("load<std::vector<int>>(int)"));
}

TEST(site_formats, write_a_path_of_the_program_alone) {
    const std::vector<std::string> names{"arenite::v0_1::x(int)",
                                         "make(int)+0x1",
                                         "std::sort()",
                                         "play()+0x2",
                                         "run()+0x3",
                                         "main()+0x4"};
    EXPECT_EQ(short_path(names), "make < play < run");
    EXPECT_EQ(short_path(std::vector<std::string>{"std::sort()+0x1"}), "std::sort");
    EXPECT_EQ(short_path({}), "not known");
    const std::vector<std::string> long_one{std::string(200, 'f') + "()"};
    EXPECT_EQ(short_path(long_one).size(), 80u);
}

TEST(site_formats, write_collapsed_stacks_with_the_outermost_first) {
    const site_figures sites[] = {{"decals", {"make(int)+0x1", "a;b", "main()+0x4"}, 3, 4096},
                                  {"", {}, 1, 10},
                                  {"gone", {"main()+0x4"}, -3, -4096}};
    std::ostringstream out;
    write_collapsed(out, sites);
    EXPECT_EQ(out.str(), "decals;main;a,b;make 4096\nmemory 10\n");
}

TEST(site_formats, write_a_list_for_json) {
    EXPECT_EQ(json_list({}), "[]");
    EXPECT_EQ(json_list(std::vector<std::string>{"a\"b", "c"}), "[\"a\\\"b\", \"c\"]");
}

TEST(site_formats, take_roots) {
    EXPECT_EQ(root_of(0), 0);
    EXPECT_NEAR(root_of(2), 1.41421356, 1e-8);
    EXPECT_NEAR(root_of(0.01), 0.1, 1e-9);
    EXPECT_NEAR(root_of(1e30), 1e15, 1);
}

} // namespace
