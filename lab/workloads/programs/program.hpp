// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../subject.hpp"
#include "../../workload.hpp"

#include <string>
#include <utility>

// Shared by workloads that run a real program on functions for its memory: `rounds` of its work on
// our hook for it, and on each malloc.

namespace arenite::lab {

template <class S>
concept runs_programs = serves_as_malloc<S> || (of_an_affinity<S> && for_any_thread<S>);

[[nodiscard]] inline workload_info program_info(std::string name, std::string summary,
                                                std::string rounds, std::string what_a_round_is) {
    return {.name = std::move(name),
            .summary = std::move(summary),
            .parameters = {{.name = "rounds",
                            .defaults = {std::move(rounds)},
                            .summary = std::move(what_a_round_is),
                            .least = 1,
                            .most = 100'000}},
            .in_short = false,
            .ours = "arenite.affinity",
            .subjects = {"arenite.affinity", "mimalloc", "jemalloc", "tcmalloc", "malloc"}};
}

} // namespace arenite::lab
