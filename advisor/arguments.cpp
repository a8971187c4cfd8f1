// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "arguments.hpp"

#include "record/program.hpp"
#include "verb.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <system_error>

#include <unistd.h>

namespace arenite::advisor {

struct arguments::parser {
    std::string verb;
    CLI::App app;
    std::vector<std::string> words;
    std::vector<std::string> program;
};

arguments::arguments(std::string_view verb, std::string_view purpose,
                     std::vector<std::string> words)
    : parser_{std::make_unique<parser>()} {
    parser_->verb = verb;
    parser_->app.description(std::string{purpose});
    parser_->app.name("arenite " + parser_->verb);
    const auto dashes = std::find(words.begin(), words.end(), "--");
    if (dashes != words.end()) {
        parser_->program.assign(dashes + 1, words.end());
        words.erase(dashes, words.end());
    }
    parser_->words = std::move(words);
}

arguments::~arguments() = default;

void arguments::operand(const char* name, std::string& value, const char* text, bool required) {
    CLI::Option* o = parser_->app.add_option(name, value, text);
    if (required)
        o->required();
}
void arguments::flag(const char* name, bool& value, const char* text) {
    parser_->app.add_flag(name, value, text);
}
void arguments::option(const char* name, std::string& value, const char* text) {
    parser_->app.add_option(name, value, text);
}
void arguments::option(const char* name, unsigned& value, const char* text) {
    parser_->app.add_option(name, value, text)->capture_default_str();
}
void arguments::option(const char* name, double& value, const char* text) {
    parser_->app.add_option(name, value, text)->capture_default_str();
}
void arguments::option(const char* name, std::vector<std::string>& values, const char* text) {
    parser_->app.add_option(name, values, text)->take_all()->allow_extra_args(false);
}

namespace {

bool is_program(const std::string& word) {
    std::error_code none;
    return word.find('/') != std::string::npos && std::filesystem::is_regular_file(word, none) &&
           ::access(word.c_str(), X_OK) == 0;
}

/// The words, each after a space, with two dashes before this one.
std::string with_dashes_before(const std::string& first, const std::vector<std::string>& words) {
    std::string text;
    const auto at = std::find(words.begin(), words.end(), first);
    for (auto word = words.begin(); word != words.end(); ++word)
        text += (word == at ? " -- " : " ") + shell_word(*word);
    return text;
}

} // namespace

void arguments::read() {
    std::vector<std::string> reversed{parser_->words.rbegin(), parser_->words.rend()};
    try {
        parser_->app.parse(reversed);
    } catch (const CLI::CallForHelp&) {
        std::cout << parser_->app.help();
        std::cout.flush();
        std::exit(0);
    } catch (const CLI::ExtrasError&) {
        const std::vector<std::string> extras = parser_->app.remaining(); // in order, unlike what()
        std::string sentence = "not expected:";
        for (const std::string& word : extras)
            sentence += " " + word;
        const bool is_before_a_program =
            parser_->program.empty() && !extras.empty() && is_program(extras.front());
        throw bad_input(sentence +
                        (is_before_a_program
                             ? "; a program stands behind two dashes: arenite " + parser_->verb +
                                   with_dashes_before(extras.front(), parser_->words)
                             : "; see `arenite " + parser_->verb + " --help`"));
    } catch (const CLI::ParseError& e) {
        throw bad_input(std::string{e.what()} + "; see `arenite " + parser_->verb + " --help`");
    }
}

const std::vector<std::string>& arguments::program() const noexcept { return parser_->program; }

const std::vector<std::string>& arguments::required_program() const {
    if (parser_->program.empty())
        throw bad_input("no program is given; write it behind two dashes: arenite " +
                        parser_->verb + " -- ./program its arguments");
    return parser_->program;
}

} // namespace arenite::advisor
