// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include "probes/address_map.hpp"
#include "probes/clock.hpp"
#include "probes/opaque.hpp"
#include "probes/range_sample.hpp"
#include "probes/reserved.hpp"
#include "probes/resident.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// How a workload joins the lab. One file, lab/workloads/<name>.cpp, compiled once for each peer
// library with that library's subjects (see subjects/):
//
//     struct my_workload {
//         static workload_info info();       // name, parameters, what is measured
//         template <class S>
//         class on {                         // on one subject, in one process
//         public:
//             explicit on(turn& t);          // not measured: reserve what is needed
//             void pass(turn& t);            // first call: cold; later ones: warm
//         };
//     };
//     ARENITE_LAB_WORKLOAD(my_workload);
//
// A part of such a file that knows no subject (reading a model) is compiled once, from
// lab/workloads/<name>/*.cpp; assimp is linked and ARENITE_LAB_ASSIMP defined to 1 where it was
// found.
//
// A subject S is default-constructible and has `void* allocate(bytes, alignment)` and
// `void deallocate(p, bytes, alignment)`, both inline and never virtual. Each object of S is a heap
// of its own where the library has such a thing; `on` holds one or several as members, so that they
// live from the first pass to the last. A workload whose requests are all of one size holds a
// `heap_for<S, Bytes, Alignment>` instead and accepts pools too; one with standard containers asks
// for `allocator_of<T>()` and accepts all that serve containers (see subject.hpp).
//
// Rules: the same sequence of calls with the same sizes for each subject; no allocation of the
// workload's own from the measured malloc between the first and the last measured phase (use
// `reserved<T>`, which comes straight from the system and is resident from the start); each result
// ends in opaque() or in the checksum; a checksum must not depend on addresses.

namespace arenite::lab {

/// Thrown where a workload cannot run on this machine or with these parameters; the text is shown.
class cannot_run : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// One value for each parameter, by name.
using parameter_values = std::map<std::string, std::string>;

/// A parameter that `--set name=value` may change.
struct parameter {
    enum class kind { integer, choice, text };

    std::string name;
    kind type = kind::integer;
    std::vector<std::string> defaults; ///< several: the workload is run once with each
    std::string summary;
    std::vector<std::string> choices = {}; ///< of a choice
    std::int64_t least = 0;                ///< of an integer
    std::int64_t most = INT64_MAX;
    std::vector<std::string> short_values = {}; ///< of `arenite-lab short`; empty: the defaults
    std::vector<std::string> full_values = {};  ///< of `--full`; empty: the defaults

    /// False where the values of the parameters before this one leave it without a meaning; then it
    /// has no value. Empty: it always has.
    std::function<bool(const parameter_values&)> applies = {};
};

struct workload_info {
    std::string name; ///< folder/name, as DESIGN lists it: "scene/quadtree"
    std::string summary;
    std::vector<parameter> parameters;
    int warm_passes = 3;       ///< after the cold one, in the same process
    int short_warm_passes = 1; ///< of `arenite-lab short`
    bool in_short = true;      ///< part of `arenite-lab short`

    /// Which subject is ours: it is compared with the best of all others that are not Arenite's and
    /// no floor (report/verdict.hpp). A name of no subject of Arenite's: there is no verdict.
    std::string ours = "arenite.ordered";

    /// True if its turns keep maps where they are asked to: those of ours, of the C++ library and
    /// of what ours is measured by; or of all.
    bool has_maps = false;
    bool has_maps_of_all = false;

    /// The subjects of a run that names none; empty: every available one not marked on_request.
    std::vector<std::string> subjects = {};
    /// Subjects of `arenite-lab short`; empty: the lab's own short list.
    std::vector<std::string> short_subjects = {};

    /// Whether with these values all requests are of one size, so that pools are among the subjects
    /// that the workload accepts; or the scene is of the one form that scene graphs of their own
    /// know. Empty: always.
    std::function<bool(const parameter_values&)> one_size = {};

    /// How much memory a turn touches at most, about: as much is warmed before each turn.
    /// Empty: 512 MiB.
    std::function<std::size_t(const parameter_values&)> touches = {};

    /// Called once in the parent before anything is measured: a sentence if these values cannot run
    /// (a missing file), nothing otherwise.
    std::function<std::optional<std::string>(const parameter_values&)> check = {};
};

/// A workload's view of its turn: its parameters, and where its figures go.
class turn {
public:
    explicit turn(parameter_values values) : values_{std::move(values)} {}

    [[nodiscard]] bool has(const std::string& name) const { return values_.contains(name); }
    [[nodiscard]] std::int64_t integer(const std::string& name) const {
        return std::stoll(values_.at(name));
    }
    [[nodiscard]] const std::string& text(const std::string& name) const {
        return values_.at(name);
    }

    /// True in the first pass of the process.
    [[nodiscard]] bool cold() const noexcept { return pass_ == 0; }

    /// One figure of this pass: record("create", "ns/node", 12.5). A metric may be recorded several
    /// times in a pass; the median of a turn's figures of one state counts. Smaller is better.
    void record(std::string_view metric, std::string_view unit, double value) {
        figures_.push_back({std::string{metric}, std::string{unit}, cold(), true, value});
    }

    /// One figure that explains the others and is not compared: of itself neither good nor bad.
    void note(std::string_view metric, std::string_view unit, double value) {
        figures_.push_back({std::string{metric}, std::string{unit}, cold(), false, value});
    }

    /// Memory that became resident for count objects: record(metric, unit, ...).
    void record_memory(std::string_view metric, std::string_view unit,
                       const std::optional<resident_memory>& before, std::size_t count) {
        const std::optional<resident_memory> now = resident();
        if (!before || !now)
            return;
        const double bytes = static_cast<double>(now->bytes) - static_cast<double>(before->bytes);
        record(metric, unit, bytes / static_cast<double>(count));
    }

    /// Which part of what became resident lies in huge pages: note(metric, "%", ...).
    void note_huge_pages(std::string_view metric, const std::optional<resident_memory>& before) {
        const std::optional<resident_memory> now = resident();
        if (!before || !now || now->bytes <= before->bytes)
            return;
        note(metric, "%",
             100 *
                 (static_cast<double>(now->huge_bytes) - static_cast<double>(before->huge_bytes)) /
                 static_cast<double>(now->bytes - before->bytes));
    }

    /// True in a turn of which nothing is timed: it is run once for pictures of memory.
    [[nodiscard]] bool wants_maps() const noexcept { return wants_maps_; }
    void ask_for_maps() noexcept { wants_maps_ = true; }

    /// A picture of this moment, of a turn that wants maps.
    void keep(address_sample picture) { maps_.push_back(std::move(picture)); }
    void keep(range_sample picture) { ranges_.push_back(std::move(picture)); }
    [[nodiscard]] const std::vector<address_sample>& maps() const noexcept { return maps_; }
    [[nodiscard]] const std::vector<range_sample>& ranges() const noexcept { return ranges_; }

    /// The result of the work; must be equal in every pass of every subject.
    void checksum(std::uint64_t value) { checksums_.push_back(value); }

    struct figure {
        std::string metric, unit;
        bool cold;
        bool compared;
        double value;
    };
    [[nodiscard]] const std::vector<figure>& figures() const noexcept { return figures_; }
    [[nodiscard]] const std::vector<std::uint64_t>& checksums() const noexcept {
        return checksums_;
    }
    void next_pass() noexcept { ++pass_; }

private:
    parameter_values values_;
    int pass_ = 0;
    std::vector<figure> figures_;
    std::vector<std::uint64_t> checksums_;
    bool wants_maps_ = false;
    std::vector<address_sample> maps_;
    std::vector<range_sample> ranges_;
};

} // namespace arenite::lab

#include "subject.hpp"

/// Registers a workload with every subject of the library this file is compiled for.
#define ARENITE_LAB_WORKLOAD(Workload)                                                             \
    static const bool registered_##Workload = ::arenite::lab::register_workload<Workload>()
