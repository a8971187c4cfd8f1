// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../run/experiment.hpp"
#include "machine.hpp"
#include "seeds.hpp"

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace arenite::lab {

/// All that a run found, as `--json` writes it and the report reads it.
[[nodiscard]] nlohmann::json results_json(const machine& m,
                                          const std::vector<experiment>& experiments,
                                          const std::vector<outcome>& outcomes,
                                          const std::vector<seed_result>& seeds = {});

/// Reads a file of `--json`; throws bad_request where the file cannot be read, is cut off or is
/// none.
[[nodiscard]] nlohmann::json read_results(const std::filesystem::path& path);

/// A file that results go to: opened before anything is measured, so that a path which cannot be
/// written is refused at once (bad_request); written at the end.
class output_file {
public:
    explicit output_file(std::filesystem::path path);
    void write(const std::string& text) const;
    [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

private:
    std::filesystem::path path_;
};

} // namespace arenite::lab
