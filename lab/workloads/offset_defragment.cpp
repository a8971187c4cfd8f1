// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "../probes/clock.hpp"
#include "../probes/random.hpp"
#include "../workload.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

// offset/defragment: 26,000 parts of 64 KiB to 8 MiB, log-uniform, in blocks of `block` MiB, of
// which a random 30 % die; then steps of `moves` moves, each committed at once, until nothing is
// left to gain.
//
// blocks left       over those that would do
// copied            bytes, over those in use
// step, worst step  planning; all steps: in all

namespace arenite::lab {
namespace {

struct offset_defragment {
    static workload_info info() {
        return {.name = "offset/defragment",
                .summary = "blocks of which a third died are emptied into each other by steps",
                .parameters = {{.name = "moves",
                                .defaults = {"10"},
                                .summary = "of a step",
                                .least = 1,
                                .most = 1'000'000},
                               {.name = "block",
                                .defaults = {"16"},
                                .summary = "MiB of a block",
                                .least = 16,
                                .most = 1024}},
                .warm_passes = 0,
                .in_short = false,
                .ours = "arenite.offset",
                .against = {"vma"},
                .subjects = {"arenite.offset", "vma"}};
    }

    template <class S>
    static constexpr bool accepts = false;
    template <class S>
    static constexpr bool accepts_also = empties_blocks<S>;

    template <class S>
    class on {
    public:
        explicit on(turn& t)
            : moves_{static_cast<std::size_t>(t.integer("moves"))},
              block_{static_cast<std::uint64_t>(t.integer("block")) << 20} {}

        void pass(turn& t) {
            typename S::block_heap heap{block_};
            random_source random{1};
            std::vector<typename S::block_heap::part> parts;
            for (int i = 0; i < 26'000; ++i) {
                const double octaves = static_cast<double>(random.below(1 << 20)) * 7 / (1 << 20);
                const auto bytes = static_cast<std::uint64_t>(65'536 * std::exp2(octaves));
                parts.push_back(heap.allocate((bytes + 255) / 256 * 256));
            }
            for (const auto& p : parts) {
                if (random.below(10) < 3)
                    heap.deallocate(p);
            }
            const std::uint64_t used = heap.bytes_in_use();
            std::vector<double> planning;
            double all_planning = 0;
            std::uint64_t copied = 0;
            for (bool done = false; !done;) {
                const stopwatch clock;
                copied += heap.plan(moves_);
                planning.push_back(clock.nanoseconds());
                all_planning += planning.back();
                done = heap.settle();
            }
            std::sort(planning.begin(), planning.end());
            const double would_do =
                std::ceil(static_cast<double>(used) / static_cast<double>(block_));
            t.record("blocks left", "of those that would do",
                     static_cast<double>(heap.block_count()) / would_do);
            t.record("copied", "bytes/byte in use",
                     static_cast<double>(copied) / static_cast<double>(used));
            t.record("step", "ns", planning[planning.size() / 2]);
            t.record("worst step", "ns", planning.back());
            t.record("all steps", "ms", all_planning / 1e6);
            t.checksum(used);
        }

    private:
        std::size_t moves_;
        std::uint64_t block_;
    };
};

ARENITE_LAB_WORKLOAD(offset_defragment);

} // namespace
} // namespace arenite::lab
