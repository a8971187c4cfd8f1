// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "../workload.hpp"
#include "trace/recording.hpp"

#include <arenite/core/config.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <thread>

// trace/replay: what a program asked of its malloc, asked again.
//
// file=x.ev is a recorded program (trace/recording.hpp tells the format); file=importer, the
// default, is made and not recorded, for a look and for tests.
//
// Allocated memory is touched, a store a line up to 4 KiB and one a page from there on, and read
// again when it is freed: an allocator that spreads its objects pays for it here as it would in the
// program. Threads are merged: one replays all. Of a resize each subject makes what it has: a
// realloc of its own, resizing in place, or else an allocation, a copy and a free.
//
// replay          All events, with touching and reading. The note `without_a_heap` is the same
//                 where every allocation is the same place: what replaying costs by itself.
// walk            At eight points of the sequence all live objects are read, the oldest first: a
//                 byte each, by a list of pointers that is made before the time is taken.
// peak_resident   The most that was resident at once, for a byte of the most that was live.
// resident_after  What is left when all is freed; resident_later, of recorded programs: a second
//                 after that and one small allocation later.
// page_faults     For each thousand events; a subject that returns memory eagerly pays here.

namespace arenite::lab {
namespace {

constexpr std::size_t line_bytes = 64, page_bytes = 4096;

/// Calls f with each place of an object from one offset to another that a program touches.
template <class F>
ARENITE_INLINE void each_touched(std::size_t from, std::size_t to, F f) {
    std::size_t at = (from + line_bytes - 1) / line_bytes * line_bytes;
    for (; at < std::min(to, page_bytes); at += line_bytes)
        f(at);
    at = (at + page_bytes - 1) / page_bytes * page_bytes;
    for (; at < to; at += page_bytes)
        f(at);
}

/// Every allocation at the same place: what is left of the work where no heap is called.
class one_place {
public:
    explicit one_place(std::size_t largest) : place_{largest} {}

    [[nodiscard]] void* allocate(std::size_t, std::size_t) noexcept { return place_.begin(); }
    void deallocate(void*, std::size_t, std::size_t) noexcept {}
    [[nodiscard]] bool try_resize(void*, std::size_t, std::size_t) noexcept { return true; }

private:
    reserved<std::byte> place_;
};

template <class S>
[[nodiscard]] void* resized(S& heap, void* p, const trace_event& e, std::size_t alignment) {
    if constexpr (reallocates<S>) {
        if (alignment <= alignof(std::max_align_t))
            return heap.reallocate(p, e.bytes);
    }
    if constexpr (resizes_in_place<S>) {
        if (heap.try_resize(p, e.old_bytes, e.bytes))
            return p;
    }
    void* const moved = heap.allocate(e.bytes, alignment);
    std::memcpy(moved, p, std::min(e.old_bytes, e.bytes));
    heap.deallocate(p, e.old_bytes, alignment);
    return moved;
}

/// A sum of what was read. Out of line, so that callgrind can tell its instructions (lab/calls).
template <class S>
ARENITE_NOINLINE std::uint64_t replay_events(S& heap, std::span<const trace_event> events,
                                             std::byte** objects) {
    std::uint64_t sum = 0;
    const auto write = [](std::byte* p, std::size_t from, const trace_event& e) {
        // Copied first: g++ cannot know that the stores leave e alone, and made vectors of its byte
        // for some subjects, which touched a page in twice the time that others took.
        const auto value = std::byte(e.slot);
        each_touched(from, e.bytes, [&](std::size_t at) { p[at] = value; });
        opaque(p);
    };
    for (const trace_event& e : events) {
        std::byte*& p = objects[e.slot];
        const std::size_t alignment = std::size_t{1} << e.log2_alignment;
        switch (e.what) {
        case trace_event::kind::allocate:
            p = static_cast<std::byte*>(heap.allocate(e.bytes, alignment));
            write(p, 0, e);
            break;
        case trace_event::kind::allocate_zeroed:
            p = static_cast<std::byte*>(heap.allocate(e.bytes, alignment));
            std::memset(p, 0, e.bytes);
            write(p, 0, e);
            break;
        case trace_event::kind::resize:
            p = static_cast<std::byte*>(resized(heap, p, e, alignment));
            write(p, e.old_bytes, e);
            break;
        case trace_event::kind::free:
            each_touched(0, e.bytes, [&](std::size_t at) { sum += std::uint64_t(p[at]); });
            heap.deallocate(p, e.bytes, alignment);
            break;
        }
    }
    return sum;
}

struct trace_replay {
    static workload_info info() {
        return {.name = "trace/replay",
                .summary = "the allocations of a recorded program, once more",
                .parameters = {{.name = "file",
                                .type = parameter::kind::text,
                                .defaults = {recording::importer},
                                .summary = "x.ev, or 'importer': a made sequence, not recorded"}},
                .warm_passes = 1,
                .subjects = {"arenite.ordered", "arenite.ordered-4k", "arenite.ordered.retain",
                             "arenite.ordered.kept", "arenite.affinity", "arenite.affinity-4k",
                             "std", "malloc", "malloc-thp", "mimalloc", "mimalloc-4k",
                             "mimalloc-thp", "mimalloc-retain", "jemalloc", "jemalloc-thp",
                             "jemalloc-retain", "tcmalloc"},
                .short_subjects = {"arenite.ordered", "arenite.ordered.kept", "arenite.affinity",
                                   "malloc", "mimalloc", "jemalloc", "tcmalloc"},
                .touches =
                    [](const parameter_values& values) {
                        return 2 * recording::bytes_needed(values.at("file")) +
                               (std::size_t{64} << 20);
                    },
                .check = [](const parameter_values& values) -> std::optional<std::string> {
                    try {
                        static_cast<void>(recording{values.at("file")});
                    } catch (const cannot_run& why) {
                        return why.what();
                    }
                    return std::nullopt;
                }};
    }

    template <class S>
    static constexpr bool accepts = frees_singly<S> && !one_of_several<S>;

    template <class S>
    class on {
    public:
        explicit on(turn& t)
            : recorded_{t.text("file") != recording::importer}, program_{t.text("file")},
              births_{program_}, objects_{program_.slots()}, oldest_first_{births_.most_live()},
              nowhere_{program_.largest_bytes()}, start_{resident_before()} {}

        void pass(turn& t) {
            const std::span<const trace_event> events = program_.events();
            double replaying = 0, walking = 0;
            std::size_t walked = 0, faults = 0, done = 0;
            std::uint64_t sum = 0;
            const auto replay_until = [&](std::size_t end) {
                const std::size_t before = page_faults();
                const stopwatch watch;
                sum += replay_events(heap_, events.subspan(done, end - done), objects_.begin());
                replaying += watch.nanoseconds();
                faults += page_faults() - before;
                done = end;
            };

            restart_peak();
            for (std::size_t point = 0; point < births::points; ++point) {
                replay_until(births_.events_before(point));
                const std::span<const std::uint32_t> live = births_.live_at(point);
                std::transform(live.begin(), live.end(), oldest_first_.begin(),
                               [&](std::uint32_t slot) { return objects_[slot]; });
                const stopwatch watch;
                sum += walk(live.size());
                walking += watch.nanoseconds();
                walked += live.size();
            }
            replay_until(events.size());

            const std::size_t live_bytes = program_.peak_live_bytes();
            t.record("replay", "ns/event", replaying / static_cast<double>(events.size()));
            t.record("walk", "ns/object",
                     walking / static_cast<double>(std::max<std::size_t>(walked, 1)));
            t.record("page_faults", "faults/1000 events",
                     1000 * static_cast<double>(faults) / static_cast<double>(events.size()));
            if (const auto peak = peak_resident(); peak && start_)
                t.record("peak_resident", "bytes/byte",
                         (static_cast<double>(*peak) - static_cast<double>(start_->bytes)) /
                             static_cast<double>(live_bytes));
            t.record_memory("resident_after", "bytes/byte", start_, live_bytes);
            if (t.cold() && recorded_) {
                std::this_thread::sleep_for(std::chrono::milliseconds{1100});
                heap_.deallocate(heap_.allocate(64, 16), 64, 16);
                t.record_memory("resident_later", "bytes/byte", start_, live_bytes);
            }
            const stopwatch watch;
            const std::uint64_t nothing = replay_events(nowhere_, events, objects_.begin());
            opaque(&nothing);
            t.note("without_a_heap", "ns/event", watch.per(events.size()));
            t.checksum(sum);
        }

    private:
        /// A trace is decoded by the malloc of this process, which may be the subject: what it took
        /// for that and keeps must not count as there already.
        [[nodiscard]] std::optional<resident_memory> resident_before() {
            if constexpr (requires { heap_.trim(objects_); }) // of all, whatever it is given
                heap_.trim(objects_);
            return resident();
        }

        [[nodiscard]] std::uint64_t walk(std::size_t count) const {
            std::uint64_t sum = 0;
            for (std::size_t i = 0; i < count; ++i)
                sum = sum * 31 + std::uint64_t(*oldest_first_[i]);
            return sum;
        }

        S heap_;
        bool recorded_;
        recording program_;
        births births_;
        reserved<std::byte*> objects_;
        reserved<std::byte*> oldest_first_;
        one_place nowhere_;
        std::optional<resident_memory> start_;
    };
};

ARENITE_LAB_WORKLOAD(trace_replay);

} // namespace
} // namespace arenite::lab
