// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../analysis/sites.hpp"
#include "../trace/tables.hpp"
#include "plan.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace arenite::advisor {

/// Call sites that are to be served by one heap.
struct routed_group {
    prove::heap_kind kind;
    std::vector<std::size_t> sites;
};

/// The bytes of a plan, as plan.hpp lays them out. Throws bad_input where a module is not what it
/// was when it was recorded, or where no site has a stack.
[[nodiscard]] std::vector<std::byte> make_plan(const std::vector<routed_group>& groups,
                                               const std::vector<site>& sites,
                                               const trace::tables& known);

/// One way of running the program, in its turns.
struct proof_run {
    std::string name;
    std::vector<double> cpu_seconds, peak_bytes, faults;

    [[nodiscard]] double median(const std::vector<double> proof_run::*what) const;
    [[nodiscard]] double spread_of_cpu() const; ///< without the turn that lies farthest
};

struct proof {
    std::vector<proof_run> runs; ///< off, on, as it is, and another malloc where there is one
    std::uint64_t taken = 0, given = 0, looked_up = 0,
                  refused = 0; ///< of the last turn with routing
    std::string not_proven;    ///< why; empty: the program did the same
};

/// Runs the program in turns: with the plan, with its lookups alone, as it is, and with mimalloc.
/// What it writes to its standard output is compared, and the file `compared`, where that is named.
[[nodiscard]] proof prove_plan(const std::vector<std::byte>& plan,
                               const std::vector<std::string>& program, unsigned turns,
                               const std::string& compared);

} // namespace arenite::advisor
