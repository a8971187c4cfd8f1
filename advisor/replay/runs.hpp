// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include "prepare.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace arenite::advisor {

/// Which malloc replays, and what is moved away from it.
struct replay_subject {
    std::string name;
    std::string preload; ///< a library; empty: the C library's malloc
    std::vector<replay::strategy> groups{replay::strategy::malloc}; ///< 0: for what is in none
    std::vector<std::uint8_t> group_of_site; ///< by stack; missing ones are in group 0
    /// Reads each object before it is freed. Where the heap's free does not look at it, that costs:
    /// a program may do either.
    bool reads_what_it_frees = true;
};

/// The results of a subject in its turns.
struct replayed {
    std::vector<replay::outcome> turns;
    std::vector<std::vector<double>> bursts; ///< by turn: ns of each
    std::vector<std::uint64_t> path;         ///< addresses, one an access of prepared_trace's path

    using member = double replay::outcome::*;
    [[nodiscard]] double median(member what) const;
    [[nodiscard]] double least(member what) const;
    [[nodiscard]] double most(member what) const;
};

/// Replays should not wait until the machine gives out memory for the first time: so much is
/// touched before. Three times the live bytes at the peak and 64 MiB, but together with the events
/// less than a gigabyte: of a larger program the rest is touched for the first time in a replay.
[[nodiscard]] std::size_t bytes_to_warm(const replay::prepared_head& head) noexcept;

/// Replays all subjects in turns, each in a process of its own. `told` is called after each.
/// Throws runtime_error where one fails.
[[nodiscard]] std::vector<replayed> replay_in_turns(
    const prepared_trace& trace, const std::vector<replay_subject>& subjects, unsigned turns,
    const std::function<void()>& told = [] {});

/// By it all advice is measured. Tests put a function in its place that counts and takes no times.
using replays =
    std::function<std::vector<replayed>(const prepared_trace&, const std::vector<replay_subject>&,
                                        unsigned turns, const std::function<void()>& told)>;

/// The C library's malloc, and each other that this machine has: mimalloc, jemalloc, tcmalloc, and
/// the drop-in of this library.
[[nodiscard]] std::vector<replay_subject> mallocs_here();

/// All objects to one strategy of Arenite; the name is "arenite.ordered" and its like.
[[nodiscard]] replay_subject all_to(replay::strategy how, std::uint64_t sites);

} // namespace arenite::advisor
