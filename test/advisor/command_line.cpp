// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "program.hpp"

#include <gtest/gtest.h>
#include <verb.hpp>

namespace arenite::advisor {
namespace {

TEST(arenite_program, lists_its_verbs_without_arguments) {
    const finished r = shell("$A");
    EXPECT_EQ(r.code, 0);
    for (const verb* v : all_verbs())
        EXPECT_NE(r.text.find("  " + std::string{v->name}), std::string::npos) << r.text;
    EXPECT_EQ(shell("$A --help").text, r.text);
}

TEST(arenite_program, tells_the_options_of_each_verb) {
    for (const verb* v : all_verbs()) {
        const finished r = shell("$A " + std::string{v->name} + " --help");
        EXPECT_EQ(r.code, 0) << r.text;
        EXPECT_NE(r.text.find("Usage: arenite " + std::string{v->name}), std::string::npos)
            << r.text;
        EXPECT_EQ(shell("$A help " + std::string{v->name}).text, r.text);
    }
}

TEST(arenite_program, names_the_verb_that_was_meant) {
    const finished r = shell("$A versoin");
    EXPECT_EQ(r.code, 2);
    EXPECT_NE(r.text.find("did you mean 'version'?"), std::string::npos) << r.text;
    EXPECT_EQ(shell("$A qqqqqq").text.find("did you mean"), std::string::npos);
}

TEST(arenite_program, refuses_an_unknown_option) {
    const finished r = shell("$A version --verbose");
    EXPECT_EQ(r.code, 2);
    EXPECT_NE(r.text.find("--verbose"), std::string::npos) << r.text;
}

TEST(arenite_program, tells_words_that_it_does_not_expect_in_their_order) {
    const std::string words = ARENITE_ADVISED " 3 'two words'";
    const finished r = shell("$A run --compare " + words);
    EXPECT_EQ(r.code, 2);
    for (const std::string& part : {std::string{"not expected: " ARENITE_ADVISED " 3 two words; "},
                                    "two dashes: arenite run --compare -- " + words + "\n"})
        EXPECT_NE(r.text.find(part), std::string::npos) << part << r.text;
    EXPECT_NE(shell("$A version one two").text.find("not expected: one two; see"),
              std::string::npos);
}

TEST(arenite_program, finds_the_most_similar_word) {
    const std::array<std::string_view, 3> words{"record", "replay", "run"};
    EXPECT_EQ(most_similar("recrod", words), "record");
    EXPECT_EQ(most_similar("rn", words), "run");
    EXPECT_EQ(most_similar("zzz", words), "");
}

} // namespace
} // namespace arenite::advisor
