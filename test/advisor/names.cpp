// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "../support/contents_of.hpp"
#include "made_up_program.hpp"
#include "recording.hpp"

#include <gtest/gtest.h>
#include <record/symbols.hpp>

namespace arenite::advisor {
namespace {

TEST(names, of_functions_are_short) {
    const std::pair<const char*, const char*> names[]{
        {"void scene::load<int>(std::vector<int>&)", "scene::load"},
        {"make_mesh(big const&, int, int) [clone .constprop.0] [clone .isra.0]", "make_mesh"},
        {"render(int) [clone .part.0]", "render"},
        {"bool operator<(a const&, a const&) [clone .isra.0]", "bool operator<"},
        {"My Game <2>+0x1a2", "My Game <2>+0x1a2"},
        {"lib(x).so+0x10", "lib(x).so+0x10"},
    };
    for (const auto& [full, wanted] : names)
        EXPECT_EQ(short_name(full), wanted);
}

TEST(names, of_a_container_are_found_where_a_function_is_its_own) {
    const std::string string = "std::__cxx11::basic_string<char, std::allocator<char> >";
    const std::string tree =
        "std::_Rb_tree<int, std::pair<int const, " + string + " >, std::less<int> >";
    const std::string table = "std::_Hashtable<int, std::pair<int const, " + string + " > >";
    const std::pair<std::string, std::string> functions[]{
        {tree + "::_M_create_node(int const&)", "std::map or std::set"},
        {"std::_Rb_tree_node<" + string + " >* " + tree + "::_M_create_node(int const&)",
         "std::map or std::set"},
        {"std::__new_allocator<std::_List_node<int, " + string + " > >::allocate(unsigned long)",
         ""},
        {"std::vector<int, std::vector<int> >::operator<(int, " + string + " const&)",
         "std::vector"},
        {"copy_of(int, std::vector<int> const&)", ""},
        {"std::vector<int> made_by<int>(int)", ""},
        {"(anonymous namespace)::index::add(int, " + string + " const&)", ""},
        {table + "::_M_insert_unique_node(unsigned long)", "std::unordered_map"},
        {table + "::_M_rehash(unsigned long, unsigned long const&)",
         "buckets of std::unordered_map"},
        {"std::__detail::_Hashtable_alloc<" + string + " >::_M_allocate_buckets(unsigned long)",
         "buckets of std::unordered_map"},
    };
    for (const auto& [function, container] : functions) {
        const auto found = for_nodes_of(function);
        EXPECT_EQ(found.sites[0].container, container) << function;
        const bool has_nodes =
            container == "std::map or std::set" || container == "std::unordered_map";
        EXPECT_EQ(found.find(remedy::pooled_container) != nullptr, has_nodes) << function;
    }
}

TEST(names, cannot_steer_a_terminal_or_end_a_line) {
    made_up_program p;
    const auto node = p.called({"make\x1b[31m;\n\xff", "main"});
    churn(p, [&](std::mt19937&) { return p.make(node, 48); });
    const auto found = p.propose();
    const std::string shown = "make\\x1b[31m;\\x0a\\xff program.cpp:1";
    EXPECT_EQ(found.sites[0].label(), shown);
    const std::string code = code_of({remedy::pool, {0}}, found.sites);
    EXPECT_NE(code.find("// at " + shown + "\n"), std::string::npos) << code;
    const std::string stacks = temporary(".collapsed");
    ASSERT_EQ(shell("$A export --collapsed " + p.path() + " -o " + stacks).code, 0);
    EXPECT_NE(support::contents_of(stacks).find(";main;make\\x1b[31m\\x3b\\x0a\\xff "),
              std::string::npos)
        << support::contents_of(stacks);
    std::filesystem::remove(stacks);
}

} // namespace
} // namespace arenite::advisor
