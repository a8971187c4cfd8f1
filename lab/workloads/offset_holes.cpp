// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "../probes/clock.hpp"
#include "../workload.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

// offset/holes: the hardest case for a search of holes.
//
// `count` holes of 4,096 bytes, each between two parts, at distances that are no multiple of any
// power of two above 16; a long hole behind them. Each request of a kind is timed by itself, the
// next one follows its free:
//
// exact        4,096 bytes, which each hole has
// longer       4,112 bytes: no hole but the last
// aligned      4,096 bytes at 4,096: 1 hole of 256 is where it must be, and the last one
// full         4,096 bytes at 4,096, where no such hole is free and the last one is taken: fails
//
// The median, and the 99th percentile ("..., 99 %"), of a request and its free. With a plain clock:
// what fails takes too long for a probe that drops calls that others interrupted.

namespace arenite::lab {
namespace {

struct offset_holes {
    static workload_info info() {
        return {.name = "offset/holes",
                .summary = "requests to a range with many holes that nearly fit",
                .parameters = {{.name = "count",
                                .defaults = {"50000"},
                                .summary = "holes",
                                .least = 512,
                                .most = 1'000'000}},
                .warm_passes = 0,
                .in_short = false,
                .ours = "arenite.offset",
                .subjects = {"arenite.offset", "arenite.memory_slots", "vma", "best_fit",
                             "memory_slots"}};
    }

    template <class S>
    static constexpr bool accepts = false;
    template <class S>
    static constexpr bool accepts_also = serves_offsets<S>;

    template <class S>
    class on {
    public:
        explicit on(turn& t) : count_{static_cast<std::size_t>(t.integer("count"))} {}

        void pass(turn& t) {
            using part = typename S::offsets::part;
            constexpr std::uint64_t room = 4 << 20;
            typename S::offsets range{count_ * (hole + 16) + room, 16};
            std::vector<part> holes;
            for (std::size_t i = 0; i != count_; ++i) {
                holes.push_back(*range.allocate(hole, 16, 0));
                static_cast<void>(*range.allocate(16, 16, 0)); // so each begins 16 further
            }
            for (const part& p : holes)
                range.deallocate(p);

            time(t, range, "exact", hole, 16);
            time(t, range, "longer", hole + 16, 16);
            time(t, range, "aligned", hole, hole);
            while (range.allocate(hole, hole, 0)) {
            }
            time(t, range, "full", hole, hole);
            t.checksum(count_);
        }

    private:
        static constexpr std::uint64_t hole = 4096;
        static constexpr std::size_t times = 1000;

        static void time(turn& t, typename S::offsets& range, const std::string& what,
                         std::uint64_t bytes, std::uint64_t alignment) {
            std::vector<double> taken;
            for (std::size_t i = 0; i != times; ++i) {
                const stopwatch clock;
                const auto p = range.allocate(bytes, alignment, 0);
                if (p)
                    range.deallocate(*p);
                taken.push_back(clock.nanoseconds());
            }
            std::sort(taken.begin(), taken.end());
            t.record(what, "ns", taken[times / 2]);
            t.record(what + ", 99 %", "ns", taken[times * 99 / 100]);
        }

        std::size_t count_;
    };
};

ARENITE_LAB_WORKLOAD(offset_holes);

} // namespace
} // namespace arenite::lab
