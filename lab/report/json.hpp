// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../run/experiment.hpp"
#include "machine.hpp"
#include "seeds.hpp"

#include <filesystem>
#include <vector>

namespace arenite::lab {

/// The file that results go to: opened before anything is measured, so that a path which cannot be
/// written is told at once (bad_request); written at the end.
class json_file {
public:
    explicit json_file(std::filesystem::path path);
    void write(const machine& m, const std::vector<experiment>& experiments,
               const std::vector<outcome>& outcomes,
               const std::vector<seed_result>& seeds = {}) const;

private:
    std::filesystem::path path_;
};

} // namespace arenite::lab
