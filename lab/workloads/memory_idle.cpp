// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "../probes/object.hpp"
#include "../probes/random.hpp"
#include "../probes/size_range.hpp"
#include "../workload.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <thread>
#include <utility>

// memory/idle: what a program keeps that has freed nearly everything, object by object and in
// random order, and then makes no call: a document that was closed, a service at night.
//
// Objects of `sizes` bytes fill `megabytes`, a byte written in each page; all are freed but one of
// `one_stays` (0: none stays). Then the program sleeps for two seconds, and calls nothing.
//
// at_once, idle   what is resident right after the last free, and after the sleep, for a byte that
//                 was live.
// free            ns for an object, so that what goes back at each free is seen there.

namespace arenite::lab {
namespace {

struct memory_idle {
    static workload_info info() {
        return {
            .name = "memory/idle",
            .summary = "what stays resident of a program that frees piece by piece and sleeps",
            .parameters = {{.name = "sizes",
                            .type = parameter::kind::choice,
                            .defaults = {"16-512", "4000-4000", "64000-250000"},
                            .summary = "of the objects in bytes, at random",
                            .choices = {"16-512", "4000-4000", "64000-250000", "1048576-1048576"}},
                           {.name = "megabytes",
                            .defaults = {"400"},
                            .summary = "that are live before all is freed",
                            .least = 1,
                            .most = 16'000},
                           {.name = "one_stays",
                            .defaults = {"0", "1000"},
                            .summary = "one of so many objects is not freed; 0: all are",
                            .least = 0,
                            .most = 1'000'000}},
            .warm_passes = 0,
            .short_warm_passes = 0,
            .in_short = false,
            .touches = [](const parameter_values& values) {
                return (std::stoull(values.at("megabytes")) << 21) + (std::size_t{64} << 20);
            }};
    }

    template <class S>
    static constexpr bool accepts = frees_singly<S> && !one_of_several<S> && !one_size<S>;

    template <class S>
    class on {
    public:
        explicit on(turn& t)
            : sizes_{t.text("sizes")},
              full_bytes_{static_cast<std::size_t>(t.integer("megabytes")) << 20},
              one_stays_{static_cast<std::size_t>(t.integer("one_stays"))},
              objects_{full_bytes_ / sizes_.least + 1}, start_{resident()} {}

        void pass(turn& t) {
            random_source random{1};
            std::size_t live_bytes = 0;
            std::size_t count = 0;
            for (; live_bytes < full_bytes_; ++count) {
                objects_[count] = make_object(heap_, sizes_.any(random));
                touch(objects_[count], page_bytes);
                live_bytes += objects_[count].bytes;
            }
            for (std::size_t i = count; i > 1; --i)
                std::swap(objects_[i - 1], objects_[random.below(i)]);

            const std::size_t staying = one_stays_ == 0 ? 0 : count / one_stays_;
            const stopwatch freeing;
            for (std::size_t i = staying; i < count; ++i)
                end_object(heap_, objects_[i]);
            t.record("free", "ns/object", freeing.per(std::max<std::size_t>(count - staying, 1)));
            t.record_memory("at_once", "bytes/byte", start_, live_bytes);
            std::this_thread::sleep_for(std::chrono::seconds{2});
            t.record_memory("idle", "bytes/byte", start_, live_bytes);

            std::uint64_t sum = count;
            for (std::size_t i = 0; i < staying; ++i) {
                sum = sum * 31 + *objects_[i].value;
                end_object(heap_, objects_[i]);
            }
            t.checksum(sum);
        }

    private:
        S heap_;
        size_range sizes_;
        std::size_t full_bytes_, one_stays_;
        reserved<object> objects_;
        std::optional<resident_memory> start_;
    };
};

ARENITE_LAB_WORKLOAD(memory_idle);

} // namespace
} // namespace arenite::lab
