// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "../workload.hpp"
#include "cache/chase.hpp"
#include "cache/counted.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

// cache/misses: table 3.2 of Kaltenbrunn's Modern Memory Management: which share of the reads of
// cache/list miss the cache, by valgrind's cachegrind, which simulates one: that of the thesis's
// processor, without a prefetcher. The list fills 2^`to` bytes and is followed three times round.
//
// counted=yes starts this program again under cachegrind, with counted=no, which follows the list
// and tells no figure.
//
// A figure is a share: `first_level` and `last_level` are the misses of that level for each read
// that the walk makes, so 1 is a miss each time. Being counted and not timed, they are the same in
// every run, and are compared without regard to noise.

namespace arenite::lab {
namespace {

struct cache_misses {
    static workload_info info() {
        return {.name = "cache/misses",
                .summary = "reads of a linked list that miss a simulated cache (seed 3, table 3.2)",
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
                                .summary = "the list fills 2^to bytes",
                                .least = 10,
                                .most = 32,
                                .full_values = {"28"}},
                               {.name = "counted",
                                .type = parameter::kind::choice,
                                .defaults = {"yes"},
                                .summary = "by cachegrind",
                                .choices = {"yes", "no"}}},
                .warm_passes = 0,
                .in_short = false,
                .ours = "malloc",
                .subjects = {"malloc"}};
    }

    template <class S>
    static constexpr bool accepts = frees_singly<S> && !one_of_several<S>;

    template <class S>
    class on {
    public:
        explicit on(turn& t)
            : bytes_{std::size_t{1} << t.integer("to")},
              node_bytes_{8 * (static_cast<std::size_t>(t.integer("pad")) + 1)} {}

        void pass(turn& t) {
            if (t.text("counted") == "yes")
                count(t);
            else
                follow(t.text("order") == "random");
            t.checksum(bytes_ / node_bytes_);
        }

    private:
        void follow(bool shuffled) {
            void* const memory = heap_.allocate(bytes_, 64);
            node_ring ring{memory, bytes_, node_bytes_, shuffled};
            ring.follow(3 * ring.size());
            heap_.deallocate(memory, bytes_, 64);
        }

        static void count(turn& t) {
            const auto same = [&t](const char* name) { return name + ("=" + t.text(name)); };
            const read_misses of_list =
                count_misses({"@turn", "cache/misses", "malloc", "0", "counted=no", same("order"),
                              same("pad"), same("to")},
                             "node_ring::follow(");
            const auto share = [&](std::uint64_t misses) {
                return static_cast<double>(misses) / static_cast<double>(of_list.reads);
            };
            t.record("first_level", "misses/read", share(of_list.first_level));
            t.record("last_level", "misses/read", share(of_list.last_level));
            t.note("reads", "", static_cast<double>(of_list.reads));
        }

        S heap_;
        std::size_t bytes_, node_bytes_;
    };
};

ARENITE_LAB_WORKLOAD(cache_misses);

} // namespace
} // namespace arenite::lab
