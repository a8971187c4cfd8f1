// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "../probes/clock.hpp"
#include "../probes/random.hpp"
#include "../workload.hpp"

#include <arenite/offset/offset_heap.hpp>

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
// step, worst step  planning

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
                .against = {},
                .subjects = {"arenite.offset"}};
    }

    template <class S>
    static constexpr bool accepts = false;
    template <class S>
    static constexpr bool accepts_also = requires { requires S::empties_blocks; };

    template <class S>
    class on {
    public:
        explicit on(turn& t)
            : moves_{static_cast<std::size_t>(t.integer("moves"))},
              block_{static_cast<std::uint64_t>(t.integer("block")) << 20} {}

        void pass(turn& t) {
            std::uintptr_t names = 0;
            const offset_source source{.get = [](std::uint64_t, void* n) noexcept -> void* {
                                           return reinterpret_cast<void*>(
                                               ++*static_cast<std::uintptr_t*>(n));
                                       },
                                       .give_back = [](void*, std::uint64_t, void*) noexcept {},
                                       .user = &names};
            offset_heap heap{source,
                             {.parts = {.granularity = 256},
                              .first_block_bytes = block_,
                              .largest_block_bytes = block_,
                              .keep_empty_blocks = 0}};
            random_source random{1};
            std::vector<offset_allocation> parts;
            for (int i = 0; i < 26'000; ++i) {
                const double octaves = static_cast<double>(random.below(1 << 20)) * 7 / (1 << 20);
                parts.push_back(
                    *heap.try_allocate(static_cast<std::uint64_t>(65'536 * std::exp2(octaves))));
            }
            for (const offset_allocation& p : parts) {
                if (random.below(10) < 3)
                    heap.deallocate(p);
            }
            const std::uint64_t used = heap.usage().bytes_in_use;
            std::vector<double> planning;
            std::uint64_t copied = 0;
            for (bool done = false; !done;) {
                const stopwatch clock;
                const moves todo = heap.step({.moves = moves_});
                planning.push_back(clock.nanoseconds());
                copied += todo.bytes();
                done = todo.done();
                heap.commit(todo);
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
