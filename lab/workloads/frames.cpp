// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "../probes/random.hpp"
#include "../workload.hpp"

#include <cstddef>
#include <cstdint>

// frames/loop: what a frame of a real-time program does with its temporaries. Each frame makes 1000
// allocations of 16 to 512 bytes, the same sizes in the same order for each subject, writes the
// first 8 bytes of each, and at its end frees them all: a heap one by one, in the order of birth;
// what frees at once by its reset, which for frame_resource is the next frame and for
// double_buffered_resource the swap.
//
// "frame" is all of it, per allocation. A pass is 200 frames. One further frame, not measured, is
// read back for the checksum.

namespace arenite::lab {
namespace {

constexpr std::size_t allocations = 1000;
constexpr std::size_t frames_a_pass = 200;
constexpr std::size_t alignment = 8;
constexpr std::size_t least_bytes = 16;
constexpr std::size_t most_bytes = 512;

struct frames_loop {
    static workload_info info() {
        return {.name = "frames/loop",
                .summary = "1000 allocations of 16 to 512 bytes a frame, all freed at its end",
                .parameters = {},
                .warm_passes = 25,
                .short_warm_passes = 25,
                .ours = "arenite.frames",
                .subjects = {"arenite.frames", "arenite.linear", "arenite.double_buffered",
                             "arenite.growing", "arenite.scratch", "arenite.ordered", "std",
                             "std-thp", "malloc", "mimalloc", "mimalloc-4k", "jemalloc", "tcmalloc",
                             "pmr.pool"},
                .short_subjects = {"arenite.frames", "arenite.linear", "arenite.growing", "std",
                                   "mimalloc"},
                .touches = [](const parameter_values&) { return std::size_t{64} << 20; }};
    }

    template <class S>
    static constexpr bool accepts = frees_at_once<S> || a_heap<S>;

    template <class S>
    class on {
    public:
        explicit on(turn&) {
            random_source random{1};
            for (std::uint32_t& size : sizes_)
                size = static_cast<std::uint32_t>(least_bytes +
                                                  random.below(most_bytes - least_bytes + 1));
            if constexpr (frees_at_once<S>)
                heap_.prepare(allocations * (most_bytes + alignment));
        }

        void pass(turn& t) {
            const stopwatch clock;
            for (std::size_t frame = 0; frame < frames_a_pass; ++frame) {
                make(frame);
                end();
            }
            t.record("frame", "ns/allocation",
                     clock.nanoseconds() / static_cast<double>(frames_a_pass * allocations));

            make(frames_a_pass);
            std::uint64_t sum = 0;
            for (std::size_t i = 0; i < allocations; ++i)
                sum += *static_cast<const std::uint64_t*>(objects_[i]) * (i + 1);
            t.checksum(sum);
            end();
        }

    private:
        void make(std::uint64_t frame) {
            for (std::size_t i = 0; i < allocations; ++i) {
                void* p = heap_.allocate(sizes_[i], alignment);
                *static_cast<std::uint64_t*>(p) = frame + i;
                opaque(p);
                objects_[i] = p;
            }
        }

        void end() {
            if constexpr (frees_at_once<S>) {
                heap_.reset();
            } else {
                for (std::size_t i = 0; i < allocations; ++i)
                    heap_.deallocate(objects_[i], sizes_[i], alignment);
            }
        }

        S heap_;
        reserved<std::uint32_t> sizes_{allocations};
        reserved<void*> objects_{allocations};
    };
};

ARENITE_LAB_WORKLOAD(frames_loop);

} // namespace
} // namespace arenite::lab
