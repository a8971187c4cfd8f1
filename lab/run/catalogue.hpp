// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../subject.hpp"

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace arenite::lab {

/// The user's request does not exist or cannot be met: printed, exit code 2.
class bad_request : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

struct known_subject {
    subject_info info;
    std::filesystem::path runner; ///< the program that has it
    std::vector<std::string> workloads;
};

struct missing_library {
    std::string name;
    std::string why;
};

/// All workloads and subjects of this lab, those of the peers' runners included.
class catalogue {
public:
    catalogue();

    [[nodiscard]] const std::vector<workload_info>& workloads() const noexcept {
        return workloads_;
    }
    [[nodiscard]] const std::vector<known_subject>& subjects() const noexcept { return subjects_; }
    [[nodiscard]] const std::vector<missing_library>& missing() const noexcept { return missing_; }

    /// By name; throws bad_request, which names the known ones.
    [[nodiscard]] const workload_info& workload(const std::string& name) const;
    [[nodiscard]] const known_subject& subject(const std::string& name) const;

    /// nullptr where this machine has no such subject.
    [[nodiscard]] const known_subject* find_subject(const std::string& name) const noexcept;

private:
    std::vector<workload_info> workloads_;
    std::vector<known_subject> subjects_;
    std::vector<missing_library> missing_;
};

/// a, b, c.
[[nodiscard]] std::string join(const std::vector<std::string>& words, const char* separator = ", ");

} // namespace arenite::lab
