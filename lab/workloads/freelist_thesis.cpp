// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "../probes/clock.hpp"
#include "../probes/opaque.hpp"
#include "../probes/random.hpp"
#include "../workload.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

// freelist/thesis: figure 6.6 of Kaltenbrunn's Modern Memory Management, which has bars and no
// numbers: `count` allocations of 16 to 256 bytes; the same and their release in the order of
// birth; the same and their release in random order. Memory is resident: each pass does the work
// once before it is measured, eight times. Each pointer goes to an opaque sink.
//
// operations    an allocation, and with a release its free too, in all: what the figure shows
// release       a free

namespace arenite::lab {
namespace {

struct freelist_thesis {
    static workload_info info() {
        return {.name = "freelist/thesis",
                .summary =
                    "allocations, and their release in order or at random (seed 3, fig. 6.6)",
                .parameters = {{.name = "release",
                                .type = parameter::kind::choice,
                                .defaults = {"none", "ordered", "random"},
                                .summary = "of what was allocated",
                                .choices = {"none", "ordered", "random"}},
                               {.name = "count",
                                .defaults = {"1000", "2000", "3000", "4000"},
                                .summary = "allocations",
                                .least = 2,
                                .most = 1'000'000,
                                .short_values = {"2000"}}},
                .warm_passes = 15,
                .short_warm_passes = 3,
                .ours = "arenite.free_list",
                .subjects = {"arenite.free_list", "arenite.free_list.best", "arenite.tlsf",
                             "thesis.free_list", "arenite.ordered", "malloc", "mimalloc",
                             "jemalloc", "tcmalloc"},
                .short_subjects = {"arenite.free_list", "malloc"},
                .touches = [](const parameter_values&) { return std::size_t{64} << 20; }};
    }

    template <class S>
    static constexpr bool accepts = a_heap<S> || in_one_region<S>;

    template <class S>
    class on {
    public:
        explicit on(turn& t)
            : count_{static_cast<std::size_t>(t.integer("count"))}, release_{t.text("release")},
              objects_{count_}, order_{count_} {
            random_source random{1};
            for (std::size_t i = 0; i < count_; ++i) {
                objects_[i].bytes = 16 + random.below(241);
                order_[i] = i;
            }
            if (release_ == "random")
                random.shuffle(order_);
        }

        void pass(turn& t) {
            std::uint64_t sum = 0;
            work(sum);
            double allocating = 0, freeing = 0;
            for (int round = 0; round < rounds; ++round) {
                const auto [allocated, freed] = work(sum);
                allocating += allocated;
                freeing += freed;
            }
            const double all = static_cast<double>(count_) * rounds;
            if (release_ == "none") {
                t.record("operations", "ns/allocation", allocating / all);
            } else {
                t.record("operations", "ns/pair", (allocating + freeing) / all);
                t.record("release", "ns/free", freeing / all);
            }
            t.checksum(sum);
        }

    private:
        static constexpr int rounds = 8;

        struct object {
            void* p;
            std::size_t bytes;
        };

        // Nanoseconds of the allocations and of the frees.
        std::pair<double, double> work(std::uint64_t& sum) {
            const stopwatch allocations;
            for (std::size_t i = 0; i < count_; ++i) {
                objects_[i].p = heap_.allocate(objects_[i].bytes, 16);
                opaque(objects_[i].p);
            }
            const double allocated = allocations.nanoseconds();
            const stopwatch frees;
            for (std::size_t i = 0; i < count_; ++i) {
                const object& o = objects_[order_[i]];
                heap_.deallocate(o.p, o.bytes, 16);
                sum += o.bytes;
            }
            return {allocated, frees.nanoseconds()};
        }

        S heap_;
        std::size_t count_;
        std::string release_;
        reserved<object> objects_;
        reserved<std::size_t> order_;
    };
};

ARENITE_LAB_WORKLOAD(freelist_thesis);

} // namespace
} // namespace arenite::lab
