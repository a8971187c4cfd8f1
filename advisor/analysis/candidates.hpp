// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../replay/prepared.hpp"
#include "profile.hpp"
#include "sites.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace arenite::advisor {

/// The changes that a group of call sites could make, in the order in which it is worth looking at.
enum class remedy {
    grow_by_doubling, ///< one buffer that grows by a constant step
    scratch,          ///< freed soon after they were allocated
    linear,           ///< freed together
    frame,            ///< freed before the mark that ends the frame of their birth
    pooled_container, ///< nodes of standard containers
    pool,             ///< one size
    ordered,          ///< several sizes, long-lived
};

/// A proposal that a replay has to confirm.
struct candidate {
    remedy what;
    std::vector<std::size_t> sites; ///< of sites_of, the busiest first

    [[nodiscard]] replay::strategy how() const noexcept;
};

/// All proposals for these sites. Whatever a site is proposed for first, it may be proposed for
/// again: replays decide.
[[nodiscard]] std::vector<candidate> find_candidates(const profile& of,
                                                     const std::vector<site>& sites);

/// "pool", as in JSON and in `replay --what-if`.
[[nodiscard]] std::string_view word_of(remedy what) noexcept;
/// The change in a line, and the code to type.
[[nodiscard]] std::string title_of(const candidate& c, const std::vector<site>& sites);
[[nodiscard]] std::string code_of(const candidate& c, const std::vector<site>& sites);

} // namespace arenite::advisor
