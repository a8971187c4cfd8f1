// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include "random.hpp"

#include <cstddef>
#include <string>

namespace arenite::lab {

/// Sizes in bytes as a parameter of a workload has them: "16-512".
struct size_range {
    std::size_t least, most;

    explicit size_range(const std::string& text)
        : least{std::stoul(text)}, most{std::stoul(text.substr(text.find('-') + 1))} {}

    /// One of them, each as likely.
    [[nodiscard]] std::size_t any(random_source& random) const {
        return least + static_cast<std::size_t>(random.below(most - least + 1));
    }
};

} // namespace arenite::lab
