// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include "catalogue.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace arenite::lab {

/// One workload with one value for each of its parameters, on some subjects.
struct experiment {
    const workload_info* workload;
    parameter_values values;
    std::vector<const known_subject*> subjects;
    int repeats;
    int warm_passes;
};

/// The user's request, before it is known to make sense.
struct request {
    std::vector<std::string> workloads = {};
    std::vector<std::string> subjects = {}; ///< empty: each workload's own choice
    std::vector<std::string> settings = {}; ///< KEY=VALUE or KEY=VALUE,VALUE
    int repeats = 7;
    std::optional<int> warm_passes = {};
    bool in_short = false; ///< each workload's short form
    bool tiny = false;     ///< of `seeds`: sizes that only show whether every row is filled
    bool in_full = false;  ///< the seeds' sizes, where a workload's own are smaller
};

/// The experiments of a request; throws bad_request where it names what is not known or asks for
/// what cannot be.
[[nodiscard]] std::vector<experiment> plan(const catalogue& all, const request& asked);

/// One metric of one subject in an experiment, over all turns.
struct result {
    const experiment* of;
    std::string subject;
    std::string metric, unit, state;
    bool compared;
    std::vector<double> values; ///< one a turn, sorted

    [[nodiscard]] double median() const;
    [[nodiscard]] double least() const { return values.front(); }
    [[nodiscard]] double most() const { return values.back(); }
};

struct failure {
    const experiment* of;
    std::string subject;
    std::string what;
};

/// Pictures of where a subject's memory lay, as its child printed them; see address_sample and
/// range_sample.
struct subject_maps {
    std::string subject;
    std::string json;
};

struct outcome {
    std::vector<result>
        results; ///< metrics in the order of their first appearance, subjects in theirs
    std::vector<failure> failures;
    std::vector<subject_maps> maps = {};
};

/// Middle value; the mean of the two middle ones of an even number.
[[nodiscard]] double median_of(std::vector<double> values);

/// Runs an experiment: each subject in a process of its own, in turns, A B C A B C ...
/// Tells its progress on the standard error, after `place`: "3/17 ".
[[nodiscard]] outcome measure(const experiment& e, const std::string& place = {});

/// One more turn for some of the subjects (ours, the C++ library's, the peers it is measured by),
/// of which nothing is timed: fills `maps`. Nothing where the workload has none.
void add_maps(const experiment& e, outcome& measured);

} // namespace arenite::lab
