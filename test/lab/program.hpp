// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../support/contents_of.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

/// A directory of the test's own, gone with it.
class scratch_directory {
public:
    scratch_directory() {
        std::string name = (std::filesystem::temp_directory_path() / "arenite-lab-XXXXXX").string();
        path_ = ::mkdtemp(name.data());
    }
    ~scratch_directory() { std::filesystem::remove_all(path_); }
    scratch_directory(const scratch_directory&) = delete;
    scratch_directory& operator=(const scratch_directory&) = delete;

    [[nodiscard]] std::filesystem::path operator/(const std::string& name) const {
        return path_ / name;
    }

private:
    std::filesystem::path path_;
};

using support::contents_of;

struct called {
    int code;
    std::string output, errors;
};

/// Runs arenite-lab with these arguments, as a shell takes them.
inline called lab(const std::string& arguments) {
    const scratch_directory scratch;
    const std::string command = std::string{ARENITE_LAB_PROGRAM} + " " + arguments + " >" +
                                (scratch / "output").string() + " 2>" +
                                (scratch / "errors").string();
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, contents_of(scratch / "output"),
            contents_of(scratch / "errors")};
}
