// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../replay/runs.hpp"
#include "candidates.hpp"
#include "profile.hpp"
#include "sites.hpp"
#include "verdict.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace arenite::advisor {

/// An advice of one recording, tried on another: its call sites are found by their names.
struct tested_advice {
    difference_made difference;
    worth is_worth = worth::nothing;
    program_costs costs; ///< of that recording
    std::size_t sites_found = 0;
};

/// A proposal with what replays said of it.
struct advice {
    candidate proposed;
    difference_made difference;
    worth is_worth = worth::nothing;
    double held_bytes = 0, group_peak_bytes = 0; ///< the price of linear memory
    bool too_dear = false;                       ///< it would hold too much
    std::optional<tested_advice> tested;         ///< where another recording was given
};

/// A malloc that can be linked or preloaded, and what it would save.
struct other_malloc {
    std::string name;
    difference_made difference;
    worth is_worth = worth::nothing;
    std::string library = {}; ///< to be preloaded
};

/// How advice is sought.
struct advise_options {
    unsigned turns = 5;       ///< of each replay
    double native_cpu_ns = 0; ///< of the program, measured without recording; 0: it was not
    replays replay = replay_in_turns;
    /// Gets a line on what is being done.
    std::function<void(const std::string&)> step = [](const std::string&) {};
};

/// The observed burst with the most accesses: where they go, before and after.
struct burst_path {
    std::vector<std::uint32_t> stacks;        ///< of each access: the call stack of its object
    std::vector<std::uint64_t> before, after; ///< addresses, by malloc and as advised
};

/// The words of a trace about how it was recorded.
struct recording_told {
    std::string program, damage;
    std::string fewer_frames; ///< a sentence, where stacks were cut
    std::string sparse;       ///< a sentence, where replays leave memory untouched
    std::string ended_badly;  ///< "exit 3", "signal 11"; empty: with 0, or it is not known
};

/// The whole answer.
struct advice_report : recording_told {
    std::unique_ptr<profile> recorded;
    std::vector<site> sites;
    program_costs costs;
    bool costs_are_native = false; ///< measured without recording
    double events = 0, malloc_ns = 0, floor_ns = 0;
    burst_path path;
    std::vector<other_malloc> mallocs;
    std::vector<advice> advised, tried; ///< in order of worth
    difference_made all_advised;        ///< together, where there are several
    std::string first_line;
};

/// Reads the trace and replays it: all of `arenite advise`.
[[nodiscard]] advice_report advise_on(const std::string& trace, const advise_options& how);

/// The order of advice: by what it saves; what is a guess comes last. Where two save as much, or it
/// cannot be told how much, a growing buffer is first, for it needs no allocator.
[[nodiscard]] bool comes_before(const advice& a, const advice& b, const program_costs& of);

/// Tries the report's advice on another recording of the program.
void test_on(advice_report& r, const std::string& trace, const advise_options& how);

/// "part of advice 1", where call sites of an advice that is left alone have another; else empty.
[[nodiscard]] std::string overlap_text(const advice_report& r, const advice& left);

/// The line that the report begins with: whether it is worth it.
[[nodiscard]] std::string first_line_of(const advice_report& r);

/// The malloc that this line says to link or preload; null: it names none.
[[nodiscard]] const other_malloc* malloc_of_first_line(const advice_report& r);

/// "LD_PRELOAD=/usr/lib/libmimalloc.so.2 ./program 3": runs the program with that malloc; empty
/// where none is named. Without the program's words its name stands for them.
[[nodiscard]] std::string preload_line_of(const advice_report& r,
                                          const std::vector<std::string>& program);

} // namespace arenite::advisor
