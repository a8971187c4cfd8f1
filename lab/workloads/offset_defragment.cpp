// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "../probes/clock.hpp"
#include "../probes/random.hpp"
#include "../workload.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

// offset/defragment: `count` parts of 64 KiB to 8 MiB, log-uniform, in blocks of `block` MiB, of
// which a random 30 % die; then steps of `moves` moves, each committed at once, until nothing is
// left to gain.
//
// blocks left       over those that would do
// copied            bytes, over those in use
// step, worst step  planning; all steps: in all
// pass_at_N         the longest step of the twentieth of all that ends at N % (a note)
//
// The picture is of a hundred parts, before and after.

namespace arenite::lab {
namespace {

struct offset_defragment {
    static workload_info info() {
        return {.name = "offset/defragment",
                .summary = "blocks of which a third died are emptied into each other by steps",
                .parameters = {{.name = "count",
                                .defaults = {"26000"},
                                .summary = "parts before a third dies",
                                .least = 10,
                                .most = 1'000'000},
                               {.name = "moves",
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
                .has_maps = true,
                .subjects = {"arenite.offset", "vma"}};
    }

    template <class S>
    static constexpr bool accepts = false;
    template <class S>
    static constexpr bool accepts_also = empties_blocks<S>;

    template <class S>
    class on {
        using heap_type = typename S::block_heap;

    public:
        explicit on(turn& t)
            : count_{static_cast<std::size_t>(t.integer("count"))},
              moves_{static_cast<std::size_t>(t.integer("moves"))},
              block_{static_cast<std::uint64_t>(t.integer("block")) << 20} {}

        void pass(turn& t) {
            heap_type heap{block_};
            age(heap, t.wants_maps() ? std::min(count_, parts_drawn) : count_);
            const std::uint64_t used = heap.bytes_in_use();
            range_sample picture = t.wants_maps() ? before(heap) : range_sample{};
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
            if (t.wants_maps()) {
                after(heap, picture);
                return t.keep(std::move(picture));
            }
            tell_passes(t, planning);
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
        static constexpr std::size_t parts_drawn = 100;

        static void age(heap_type& heap, std::size_t count) {
            random_source random{1};
            std::vector<typename heap_type::part> parts;
            for (std::size_t i = 0; i < count; ++i) {
                const double octaves = static_cast<double>(random.below(1 << 20)) * 7 / (1 << 20);
                const auto bytes = static_cast<std::uint64_t>(65'536 * std::exp2(octaves));
                parts.push_back(heap.allocate((bytes + 255) / 256 * 256, i));
            }
            for (const auto& p : parts) {
                if (random.below(10) < 3)
                    heap.deallocate(p);
            }
        }

        /// Blocks have their numbers in the order in which they were made, which their names tell.
        std::size_t number_of(void* block) {
            return numbers_.try_emplace(block, numbers_.size()).first->second;
        }
        range_sample before(const heap_type& heap) {
            range_sample picture{.name = "before and after, of the first hundred parts",
                                 .block_bytes = block_};
            std::set<void*> blocks;
            heap.for_each([&](std::uint64_t, void* block, std::uint64_t, std::uint64_t) {
                blocks.insert(block);
            });
            for (void* const block : blocks)
                static_cast<void>(number_of(block));
            heap.for_each(
                [&](std::uint64_t owner, void* block, std::uint64_t offset, std::uint64_t bytes) {
                    drawn_[owner] = picture.parts.size();
                    picture.parts.push_back({.bytes = bytes, .at = {number_of(block), offset}});
                });
            return picture;
        }
        void after(const heap_type& heap, range_sample& picture) {
            heap.for_each(
                [&](std::uint64_t owner, void* block, std::uint64_t offset, std::uint64_t) {
                    picture.parts[drawn_.at(owner)].later = {number_of(block), offset};
                });
            picture.blocks = numbers_.size();
            picture.blocks_later = heap.block_count();
        }

        static void tell_passes(turn& t, const std::vector<double>& planning) {
            constexpr std::size_t twentieths = 20;
            for (std::size_t i = 0; i != twentieths; ++i) {
                const auto begin = planning.begin() +
                                   static_cast<std::ptrdiff_t>(i * planning.size() / twentieths);
                const auto end = planning.begin() + static_cast<std::ptrdiff_t>(
                                                        (i + 1) * planning.size() / twentieths);
                if (begin != end)
                    t.note("pass_at_" + std::to_string((i + 1) * 100 / twentieths), "ns",
                           *std::max_element(begin, end));
            }
        }

        std::size_t count_;
        std::size_t moves_;
        std::uint64_t block_;
        std::map<void*, std::size_t> numbers_ = {};
        std::map<std::uint64_t, std::size_t> drawn_ = {};
    };
};

ARENITE_LAB_WORKLOAD(offset_defragment);

} // namespace
} // namespace arenite::lab
