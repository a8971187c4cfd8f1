// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "../probes/memory_of.hpp"
#include "../workload.hpp"
#include "soa/particles.hpp"

#include <cstddef>
#include <memory>

// soa/particles: figure 6.9 of Kaltenbrunn's Modern Memory Management: loops that need a few
// members of many objects, over objects side by side and over columns.
//
// The objects are the particles of listing 5.1, 128 bytes in 15 members. "update" is the figure's
// loop: force to velocity, velocity to position. "update_two" is its first half, two columns; "sum"
// adds one member up; "random" looks at all members of particles in random order (of a million of
// them at most). form=arrays: a std::pmr::vector a member, loops written by hand; form=vector: a
// std::pmr::vector of particles; form=soa, aos, aosoa8: records, the same code for all three.
// Loops over few particles are repeated until they have gone through two million. The memory comes
// from the subject.

namespace arenite::lab {
namespace {

struct soa_particles {
    static workload_info info() {
        return {.name = "soa/particles",
                .summary = "loops over some members of many objects (seed 3, figure 6.9)",
                .parameters = {{.name = "form",
                                .type = parameter::kind::choice,
                                .defaults = {"arrays", "soa", "vector", "aos", "aosoa8"},
                                .summary = "how the members lie",
                                .choices = {"arrays", "soa", "vector", "aos", "aosoa8"}},
                               {.name = "count",
                                .defaults = {"5000", "5000000"},
                                .summary = "particles",
                                .least = 1,
                                .most = 20'000'000}},
                .in_short = false,
                .ours = "malloc",
                .subjects = {"malloc", "malloc-thp"},
                .touches = [](const parameter_values& values) {
                    return 160 * static_cast<std::size_t>(std::stoll(values.at("count"))) +
                           (std::size_t{64} << 20);
                }};
    }

    template <class S>
    class on {
    public:
        explicit on(turn& t)
            : loops_{make_particle_loops(t.text("form"),
                                         static_cast<std::size_t>(t.integer("count")), memory_)} {}

        void pass(turn& t) { loops_->run(t); }

    private:
        memory_of<S> memory_;
        std::unique_ptr<particle_loops> loops_;
    };
};

ARENITE_LAB_WORKLOAD(soa_particles);

} // namespace
} // namespace arenite::lab
