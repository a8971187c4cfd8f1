// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "../workload.hpp"
#include "pointers/costs.hpp"

#include <cstddef>
#include <memory>

// pointers/costs: what an owning pointer costs, of which Kaltenbrunn's Modern Memory Management
// (6.3.1) says that it needs to be evaluated.
//
// Each kind refers to objects of 48 bytes (with a count, 56) in the memory that it is for:
// std.unique and std.shared in that of new and make_shared; std.unique.affine to a class that is
// affine; unique.affinity, unique.heap and unique.any are arenite::unique_ptr of an affinity's tag,
// an ordered_heap and a resource; pool is the owner of an object_pool; intrusive a reference to an
// affine class; std.shared.affinity and std.shared.heap by allocate_shared.
//
// make_and_end   one object after the other. Instructions: lab/calls/run pointers
// follow         the first word of each of `count` objects, in order of birth
// share          a copy of each pointer, and its end, where it can be copied
// memory         what became resident for each of `count` objects, the pointers not counted
// Notes: pointer, its bytes; depth, of destructors within each other where a chain of 10,000 ends.

namespace arenite::lab {
namespace {

struct pointers_costs {
    static workload_info info() {
        return {.name = "pointers/costs",
                .summary = "what owning pointers cost (seed 3, 6.3.1)",
                .parameters = {{.name = "pointer",
                                .type = parameter::kind::choice,
                                .defaults = pointer_kinds(),
                                .summary = "see lab/workloads/pointers_costs.cpp",
                                .choices = pointer_kinds()},
                               {.name = "count",
                                .defaults = {"1000000"},
                                .summary = "objects",
                                .least = 1,
                                .most = 20'000'000}},
                .in_short = false,
                .ours = "malloc",
                .subjects = {"malloc"},
                .touches = [](const parameter_values& values) {
                    return 256 * static_cast<std::size_t>(std::stoll(values.at("count"))) +
                           (std::size_t{64} << 20);
                }};
    }

    template <class S>
    class on {
    public:
        explicit on(turn& t)
            : costs_{make_pointer_costs(t.text("pointer"))},
              count_{static_cast<std::size_t>(t.integer("count"))} {}

        void pass(turn& t) { costs_->run(t, count_); }

    private:
        std::unique_ptr<pointer_costs> costs_;
        std::size_t count_;
    };
};

ARENITE_LAB_WORKLOAD(pointers_costs);

} // namespace
} // namespace arenite::lab
