// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace arenite::advisor {

/// The command line behind a verb:
/// `arenite VERB [OPTION]... [OPERAND]... [-- PROGRAM ARGUMENT...]`.
///
///     std::string trace;
///     bool all = false;
///     given.operand("TRACE", trace, "a recording");
///     given.flag("--all", all, "every call site");
///     given.read();                                   // from here on they are set
///
/// Failure: read() throws bad_input with a sentence; `--help` is printed by it and ends the program
///          with 0.
class arguments {
public:
    arguments(std::string_view verb, std::string_view purpose, std::vector<std::string> words);
    ~arguments();
    arguments(const arguments&) = delete;
    arguments& operator=(const arguments&) = delete;

    void operand(const char* name, std::string& value, const char* text, bool required = true);
    void flag(const char* name, bool& value, const char* text);
    void option(const char* name, std::string& value, const char* text);
    void option(const char* name, unsigned& value, const char* text);
    void option(const char* name, double& value, const char* text);
    void option(const char* name, std::vector<std::string>& values, const char* text);

    void read();

    /// The words behind `--`: a program and its arguments.
    [[nodiscard]] const std::vector<std::string>& program() const noexcept;
    /// program(), or bad_input is thrown if it is empty.
    [[nodiscard]] const std::vector<std::string>& required_program() const;

private:
    struct parser;
    std::unique_ptr<parser> parser_;
};

} // namespace arenite::advisor
