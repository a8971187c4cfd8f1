// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "../probes/ticks.hpp"
#include "../workload.hpp"
#include "cache/chase.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

// cache/list: figures 3.5 and 3.6 of Kaltenbrunn's Modern Memory Management: a singly linked list
// in one piece of memory, followed again and again. Nodes are a pointer and `pad` words (listing
// 3.1); order=linear: each node's next is its neighbour; order=random: any other.
//
// One metric for each working set of 2^10 bytes up to 2^`to`: ticks of the processor's clock for a
// pointer followed (the figures' cycles). A list is followed once before it is timed, then for
// a million nodes, from where it was left, in sixteen parts of which the median counts: what takes
// the processor away for a moment is in few of them. What the seed's figures 3.7 and 3.8 show, the
// same without the prefetcher, needs a register that only the system may write. The memory is the
// subject's, taken once: what differs between subjects is whether its pages are huge.

namespace arenite::lab {
namespace {

struct cache_list {
    static workload_info info() {
        return {.name = "cache/list",
                .summary = "a linked list in memory of growing size (seed 3, figures 3.5 and 3.6)",
                .parameters = {{.name = "order",
                                .type = parameter::kind::choice,
                                .defaults = {"linear", "random"},
                                .summary = "of the nodes in memory",
                                .choices = {"linear", "random"}},
                               {.name = "pad",
                                .defaults = {"0", "7", "15", "31", "63"},
                                .summary = "words beside the pointer of a node",
                                .least = 0,
                                .most = 127},
                               {.name = "to",
                                .defaults = {"26"},
                                .summary = "the largest working set is 2^to bytes",
                                .least = 10,
                                .most = 32,
                                .full_values = {"28"}}},
                .warm_passes = 1,
                .in_short = false,
                .ours = "malloc",
                .subjects = {"malloc", "malloc-thp"},
                .touches = [](const parameter_values& values) {
                    return std::size_t{2} << std::stoll(values.at("to"));
                }};
    }

    template <class S>
    class on {
    public:
        explicit on(turn& t)
            : bytes_{std::size_t{1} << t.integer("to")},
              node_bytes_{8 * (static_cast<std::size_t>(t.integer("pad")) + 1)},
              shuffled_{t.text("order") == "random"}, memory_{heap_.allocate(bytes_, 64)} {}
        ~on() { heap_.deallocate(memory_, bytes_, 64); }
        on(const on&) = delete;
        on& operator=(const on&) = delete;

        void pass(turn& t) {
            std::uint64_t check = 0;
            for (std::size_t log = 10; std::size_t{1} << log <= bytes_; ++log) {
                const std::size_t working_set = std::size_t{1} << log;
                node_ring ring{memory_, working_set, node_bytes_, shuffled_};
                ring.follow(std::min(ring.size(), parts * steps));
                std::array<std::uint64_t, parts> taken{};
                for (std::uint64_t& one : taken) {
                    const std::uint64_t start = ticks();
                    ring.follow(steps);
                    one = ticks() - start;
                }
                std::nth_element(taken.begin(), taken.begin() + parts / 2, taken.end());
                t.record("2^" + std::to_string(log), "ticks/node",
                         static_cast<double>(taken[parts / 2]) / static_cast<double>(steps));
                check += ring.size();
                if (log <= 20 && ring.count_round() != ring.size())
                    throw cannot_run("a ring of nodes is broken");
            }
            t.checksum(check);
        }

    private:
        static constexpr std::size_t parts = 16, steps = std::size_t{1} << 16;

        S heap_;
        std::size_t bytes_;
        std::size_t node_bytes_;
        bool shuffled_;
        void* memory_;
    };
};

ARENITE_LAB_WORKLOAD(cache_list);

} // namespace
} // namespace arenite::lab
