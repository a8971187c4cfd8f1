// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "../probes/object.hpp"
#include "../probes/random.hpp"
#include "../probes/size_range.hpp"
#include "../workload.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

// memory/buffers: a few large buffers that come and go: what functions that read files, decode
// images or build meshes allocate for the time of a call.
//
// Ten thousand in all, `at_once` of them: so many are allocated, the first and the last byte of
// each is written, and they are freed in the order in which they were made. Beside them `beside`
// MiB of objects of 64 bytes live, so that the heap is no small one.
//
// make, free     ns for a buffer, and its share of the clock: above 20 ns at at_once=1.
// page_faults    for a thousand of them.

namespace arenite::lab {
namespace {

struct memory_buffers {
    static workload_info info() {
        return {.name = "memory/buffers",
                .summary = "a few large buffers come and go, and little of them is written",
                .parameters = {{.name = "at_once",
                                .defaults = {"1", "4", "16"},
                                .summary = "buffers that live at once",
                                .least = 1,
                                .most = 100},
                               {.name = "sizes",
                                .type = parameter::kind::choice,
                                .defaults = {"66000-256000"},
                                .summary = "of the buffers in bytes, at random",
                                .choices = {"66000-256000", "100000-100000", "1048576-4194304"}},
                               {.name = "beside",
                                .defaults = {"0", "64"},
                                .summary = "MiB of small objects that live meanwhile",
                                .least = 0,
                                .most = 1000}},
                .warm_passes = 1,
                .in_short = false,
                .touches = [](const parameter_values& values) {
                    const std::size_t buffers =
                        size_range{values.at("sizes")}.most * std::stoull(values.at("at_once"));
                    return 2 * (buffers + (std::stoull(values.at("beside")) << 20)) +
                           (std::size_t{64} << 20);
                }};
    }

    template <class S>
    static constexpr bool accepts = frees_singly<S> && !one_of_several<S> && !one_size<S>;

    template <class S>
    class on {
    public:
        explicit on(turn& t)
            : sizes_{t.text("sizes")}, buffers_{static_cast<std::size_t>(t.integer("at_once"))},
              beside_{(static_cast<std::size_t>(t.integer("beside")) << 20) / small_bytes} {
            for (object& o : beside_)
                o = make_object(heap_, small_bytes);
        }

        void pass(turn& t) {
            random_source random{1};
            double making = 0, freeing = 0;
            std::uint64_t sum = 0;
            const std::size_t rounds = in_all / buffers_.size();
            const std::size_t before = page_faults();
            for (std::size_t round = 0; round < rounds; ++round) {
                const stopwatch making_now;
                for (object& o : buffers_) {
                    o = make_object(heap_, sizes_.any(random));
                    *o.value = o.bytes;
                    reinterpret_cast<std::byte*>(o.value)[o.bytes - 1] = std::byte{1};
                    opaque(o.value);
                }
                making += making_now.nanoseconds();
                for (const object& o : buffers_)
                    sum = sum * 31 + *o.value;
                const stopwatch freeing_now;
                for (object& o : buffers_)
                    end_object(heap_, o);
                freeing += freeing_now.nanoseconds();
            }
            const auto made = static_cast<double>(rounds * buffers_.size());
            t.record("make", "ns/buffer", making / made);
            t.record("free", "ns/buffer", freeing / made);
            t.record("page_faults", "faults/1000 buffers",
                     1000 * static_cast<double>(page_faults() - before) / made);
            t.checksum(sum);
        }

        ~on() {
            for (object& o : beside_)
                end_object(heap_, o);
        }
        on(const on&) = delete;
        on& operator=(const on&) = delete;

    private:
        static constexpr std::size_t in_all = 10'000;
        static constexpr std::size_t small_bytes = 64;

        S heap_;
        size_range sizes_;
        reserved<object> buffers_;
        reserved<object> beside_;
    };
};

ARENITE_LAB_WORKLOAD(memory_buffers);

} // namespace
} // namespace arenite::lab
