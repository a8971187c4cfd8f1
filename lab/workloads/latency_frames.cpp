// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "../probes/latency.hpp"
#include "../probes/object.hpp"
#include "../probes/random.hpp"
#include "../workload.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

// latency/frames: a program whose scene grows from frame to frame, as one that streams does. In
// each frame objects of 16 bytes to 4 KiB are allocated, a byte written in each page of each; half
// of them die with the frame, the others stay. Each allocation is timed by itself, with its
// writes: the worst ones are those that come upon memory which nobody has touched.
//
// A subject that can have memory made ready ahead (`ready(bytes)`) learns between frames, outside
// what is timed as allocation, how much a frame takes; `between_frames` is what that costs.
//
// `allocate_50%` is an ordinary allocation, `allocate_99.9%` and `allocate_worst_50` (the fiftieth
// worst) are those that fault pages in; `frame_50%` and `frame_99%` are all allocations of a frame
// together. The single worst, a note, is often the system's and not the allocator's.

namespace arenite::lab {
namespace {

struct latency_frames {
    static workload_info info() {
        return {.name = "latency/frames",
                .summary = "a scene that grows frame by frame: the slowest allocations",
                .parameters = {{.name = "frames",
                                .defaults = {"300"},
                                .summary = "to run",
                                .least = 2,
                                .most = 100'000,
                                .short_values = {"120"}}},
                .warm_passes = 0,
                .short_warm_passes = 0,
                .short_subjects = {"arenite.ordered", "arenite.ordered.ready", "std", "mimalloc",
                                   "jemalloc"},
                .touches = [](const parameter_values& values) {
                    return frame_bytes * std::stoull(values.at("frames")) + (std::size_t{64} << 20);
                }};
    }

    template <class S>
    static constexpr bool accepts = any_size<S> && (a_heap<S> || makes_ready<S>);

    template <class S>
    class on {
    public:
        explicit on(turn& t)
            : frames_{static_cast<std::size_t>(t.integer("frames"))}, objects_{frames_ * a_frame},
              times_{frames_ * a_frame}, frame_times_{frames_} {}

        void pass(turn& t) {
            random_source random{1};
            std::size_t count = 0, timed = 0;
            std::uint64_t sum = 0;
            double ahead = 0;
            for (std::size_t frame = 0; frame < frames_; ++frame) {
                if constexpr (makes_ready<S>) {
                    const stopwatch watch;
                    heap_.ready(frame_bytes);
                    ahead += watch.nanoseconds();
                }
                const std::size_t first = count;
                frame_times_.time(frame, [&] {
                    for (std::size_t i = 0; i < a_frame; ++i) {
                        const std::size_t bytes = 16 + random.below(most_bytes - 15);
                        times_.time(timed++, [&] { objects_[count] = made(bytes); });
                        ++count;
                    }
                });
                for (std::size_t i = 0; i < a_frame / 2; ++i) {
                    const std::size_t which = first + random.below(count - first);
                    std::swap(objects_[which], objects_[--count]);
                    sum = sum * 31 + *objects_[count].value;
                    end_object(heap_, objects_[count]);
                }
            }
            while (count > 0) {
                sum = sum * 31 + *objects_[--count].value;
                end_object(heap_, objects_[count]);
            }
            t.record("allocate_50%", "ns", times_.percentile(0.5));
            t.record("allocate_99.9%", "us", times_.percentile(0.999) / 1000);
            t.record("allocate_worst_50", "us",
                     times_.percentile(1 - 50.0 / static_cast<double>(timed)) / 1000);
            t.record("frame_50%", "us", frame_times_.percentile(0.5) / 1000);
            t.record("frame_99%", "us", frame_times_.percentile(0.99) / 1000);
            t.note("allocate_worst", "us", times_.percentile(1) / 1000);
            t.note("between_frames", "us/frame", ahead / 1000 / static_cast<double>(frames_));
            t.checksum(sum);
        }

    private:
        [[nodiscard]] object made(std::size_t bytes) {
            const object o = make_object(heap_, bytes);
            *o.value = bytes;
            auto* const all = reinterpret_cast<std::byte*>(o.value);
            for (std::size_t at = 4096; at < bytes; at += 4096)
                all[at] = std::byte{1};
            all[bytes - 1] = std::byte{1};
            opaque(o.value);
            return o;
        }

        S heap_;
        std::size_t frames_;
        reserved<object> objects_;
        latencies times_, frame_times_;
    };

    static constexpr std::size_t a_frame = 400, most_bytes = 4096,
                                 frame_bytes = a_frame * (most_bytes / 2 + 16);
};

ARENITE_LAB_WORKLOAD(latency_frames);

} // namespace
} // namespace arenite::lab
