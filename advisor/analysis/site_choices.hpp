// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../verb.hpp"
#include "sites.hpp"

#include <algorithm>
#include <cstddef>
#include <fmt/core.h>
#include <string>
#include <vector>

namespace arenite::advisor {

/// Reads options of the form SITE=KIND, each for other call sites of a trace.
class site_choices {
public:
    struct choice {
        std::vector<std::size_t> sites; ///< their numbers, at least one
        std::string kind;
    };

    explicit site_choices(std::vector<site>&&) = delete; // it refers to them
    explicit site_choices(const std::vector<site>& sites)
        : sites_{sites}, is_taken_(sites.size(), false) {}

    /// SITE is a site's name, else what the names of sites begin with; or #n for the n-th of
    /// `arenite show`, or all. Throws bad_input where the words have another form, name no site, or
    /// one that was chosen before.
    [[nodiscard]] choice choose(const char* option, const std::string& words) {
        const std::size_t equals = words.rfind('=');
        if (equals == std::string::npos || equals == 0)
            throw bad_input(fmt::format("{} {} is not of the form SITE=KIND", option, words));
        const std::string wanted = words.substr(0, equals);
        choice chosen{{}, words.substr(equals + 1)};
        const bool is_name = std::any_of(sites_.begin(), sites_.end(),
                                         [&](const site& s) { return s.name == wanted; });
        for (std::size_t i = 0; i < sites_.size(); ++i) {
            if (is_name && sites_[i].name != wanted)
                continue;
            if (wanted != "all" && wanted != fmt::format("#{}", i + 1) &&
                !sites_[i].name.starts_with(wanted))
                continue;
            if (is_taken_[i])
                throw bad_input(fmt::format("{} {}: call site #{}, {}, was chosen before", option,
                                            words, i + 1, sites_[i].name));
            is_taken_[i] = true;
            chosen.sites.push_back(i);
        }
        if (chosen.sites.empty())
            throw bad_input(
                fmt::format("no call site begins with '{}'; `arenite show` lists them", wanted));
        return chosen;
    }

private:
    const std::vector<site>& sites_;
    std::vector<bool> is_taken_;
};

} // namespace arenite::advisor
