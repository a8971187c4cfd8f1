// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "made_up_program.hpp"
#include "program.hpp"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <string>
#include <unistd.h>
#include <vector>

namespace arenite::advisor {
namespace {

/// The names that stand in the code for the program's own.
constexpr const char* own_names = "struct T { T(int = 0) {} };\n"
                                  "using Key = int;\n"
                                  "const int arguments = 1, needed = 2, capacity = 1;\n"
                                  "inline void grow_to(int) {}\n";

/// Compiles code as it stands, behind the names above; its statements are those of a function.
finished compiled(const std::string& code) {
    std::string headers, classes, statements;
    std::istringstream lines{code};
    for (std::string line; std::getline(lines, line);)
        (line.starts_with("#include") ? headers : statements) += line + "\n";
    if (statements.find("struct nodes") != std::string::npos)
        classes.swap(statements);
    const std::string file = std::filesystem::temp_directory_path() /
                             ("arenite-code-test-" + std::to_string(::getpid()) + ".cpp");
    std::ofstream{file} << headers << own_names << classes << "int main() {\n"
                        << statements << "}\n";
    const finished r =
        shell(ARENITE_COMPILER " -std=c++20 -fsyntax-only -I " ARENITE_INCLUDE " " + file);
    std::filesystem::remove(file);
    return r;
}

TEST(code, compiles_as_it_stands) {
    const std::vector<std::string> none{""}, all{"",
                                                 "std::vector",
                                                 "std::string",
                                                 "std::deque",
                                                 "std::list",
                                                 "std::map or std::set",
                                                 "std::unordered_map",
                                                 std::string{buckets_of_a_map}},
        nodes{"std::map or std::set", "std::list", "std::forward_list", "std::unordered_map"};
    struct wanted {
        remedy what;
        const std::vector<std::string>& containers;
    };
    for (const auto& [what, containers] :
         {wanted{remedy::grow_by_doubling, none}, wanted{remedy::scratch, none},
          wanted{remedy::scratch, all}, wanted{remedy::linear, none}, wanted{remedy::linear, all},
          wanted{remedy::frame, all}, wanted{remedy::pooled_container, nodes},
          wanted{remedy::pool, none}, wanted{remedy::pool, all}, wanted{remedy::ordered, none},
          wanted{remedy::ordered, all}}) {
        candidate c{what, {}};
        std::vector<site> sites;
        for (const std::string& container : containers) {
            site s;
            s.name = "make";
            s.place = "scene.cpp:12";
            s.container = container;
            s.sum.smallest = s.sum.largest = 24 + 8 * sites.size();
            c.sites.push_back(sites.size());
            sites.push_back(s);
        }
        const std::string code = code_of(c, sites);
        const finished r = compiled(code);
        EXPECT_EQ(r.code, 0) << code << r.text;
    }
}

TEST(code, gives_containers_the_memory_that_their_nodes_are_to_use) {
    site s;
    s.container = "std::map or std::set";
    const std::string code = code_of({remedy::linear, {0}}, {s});
    EXPECT_NE(code.find("std::pmr::map<Key, T> some_map{&memory};"), std::string::npos) << code;
    EXPECT_EQ(code.find("create<T>"), std::string::npos) << code;
    const std::string frame = code_of({remedy::frame, {0}}, {s});
    EXPECT_LT(frame.find("some_map"), frame.find("}\n")) << frame;
    EXPECT_LT(frame.find("}\n"), frame.find("frame.reset()")) << frame;
}

} // namespace
} // namespace arenite::advisor
