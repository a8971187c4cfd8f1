// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "../probes/object.hpp"
#include "../probes/random.hpp"
#include "../workload.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

// memory/fragmentation: what steady replacement makes of memory.
//
// Objects fill `megabytes`; then, ten times as often as there are objects, a random one is freed
// and another one allocated in its stead; then all are freed.
//
// pattern=large        520 to 1016 bytes: no two of them share what another one left.
// pattern=halves       half of them 24 bytes, half 40 to 1632.
// pattern=powers       2^k + 8 bytes, k from 4 to 11: each just above what a class may be.
// pattern=temporaries  16 to 512 bytes; one of a hundred that are allocated stays to the end, so
//                      that a few live ones are strewn over what the others leave.
//
// peak_resident   the most that was resident at once, for a byte of the most that was live.
// resident        what is resident after the last replacement, for a byte that is live then.
// resident_at_N   the same after N times as many replacements as there are objects (a note).
// The first 16 bytes of an object are written and of what is larger a byte each 512, so that its
// pages are resident.
//
// `resident_after` is when all is freed, for a byte of the most that was live. `replace` is the
// time of a pair, which says what a low figure of memory was paid with.

namespace arenite::lab {
namespace {

struct memory_fragmentation {
    static workload_info info() {
        return {
            .name = "memory/fragmentation",
            .summary = "random objects are replaced by others of random sizes, ten times over",
            .parameters = {{.name = "pattern",
                            .type = parameter::kind::choice,
                            .defaults = {"large", "halves", "powers", "temporaries"},
                            .summary = "which sizes: see lab/workloads/memory_fragmentation.cpp",
                            .choices = {"large", "halves", "powers", "temporaries"}},
                           {.name = "megabytes",
                            .defaults = {"64"},
                            .summary = "live, about",
                            .least = 1,
                            .most = 100'000}},
            .warm_passes = 0,
            .short_warm_passes = 0,
            .in_short = false,
            .touches = [](const parameter_values& values) {
                return 3 * static_cast<std::size_t>(std::stoll(values.at("megabytes"))) << 20;
            }};
    }

    template <class S>
    static constexpr bool accepts = (frees_singly<S> && !one_of_several<S>) || in_one_region<S>;

    template <class S>
    class on {
    public:
        explicit on(turn& t)
            : pattern_{t.text("pattern")},
              count_{(static_cast<std::size_t>(t.integer("megabytes")) << 20) / mean_bytes()},
              objects_{count_}, staying_{stays() ? count_ * turnovers / 50 + 1024 : 0},
              start_{resident()} {}

        void pass(turn& t) {
            random_source random{1};
            std::size_t stayed = 0, most_live = 0;
            live_bytes_ = 0;
            restart_peak();
            for (object& o : objects_)
                o = make(random);
            std::array<double, turnovers + 1> over_time{over_live()};
            double nanoseconds = 0;
            for (std::size_t turnover = 1; turnover <= turnovers; ++turnover) {
                const stopwatch replacing;
                for (std::size_t i = 0; i < count_; ++i) {
                    object& o = objects_[random.below(count_)];
                    if (stays() && random.below(100) == 0 && stayed < staying_.size())
                        staying_[stayed++] = o;
                    else
                        free(o);
                    o = make(random);
                    most_live = std::max(most_live, live_bytes_);
                }
                nanoseconds += replacing.nanoseconds();
                over_time[turnover] = over_live();
            }
            t.record("replace", "ns/pair", nanoseconds / static_cast<double>(count_ * turnovers));
            if (const auto peak = peak_resident(); peak && start_)
                t.record("peak_resident", "bytes/byte",
                         (static_cast<double>(*peak) - static_cast<double>(start_->bytes)) /
                             static_cast<double>(most_live));
            t.record_memory("resident", "bytes/byte", start_, live_bytes_);
            for (std::size_t turnover = 0; start_ && turnover <= turnovers; ++turnover)
                t.note("resident_at_" + std::to_string(turnover), "bytes/byte",
                       over_time[turnover]);

            std::uint64_t sum = 0;
            const auto end = [&](object& o) {
                sum = sum * 31 + *o.value;
                free(o);
            };
            std::for_each(objects_.begin(), objects_.end(), end);
            std::for_each(staying_.begin(), staying_.begin() + stayed, end);
            t.record_memory("resident_after", "bytes/byte", start_, most_live);
            t.checksum(sum);
        }

    private:
        static constexpr std::size_t turnovers = 10;

        [[nodiscard]] bool stays() const { return pattern_ == "temporaries"; }

        [[nodiscard]] std::size_t mean_bytes() const {
            return pattern_ == "large"    ? 768
                   : pattern_ == "halves" ? 430
                   : pattern_ == "powers" ? 518
                                          : 264;
        }

        [[nodiscard]] std::size_t size(random_source& random) const {
            if (pattern_ == "large")
                return 520 + 8 * random.below(63);
            if (pattern_ == "halves")
                return random.below(2) == 0 ? 24 : 40 + 8 * random.below(200);
            if (pattern_ == "powers")
                return (std::size_t{16} << random.below(8)) + 8;
            return 16 + random.below(497);
        }

        object make(random_source& random) {
            const std::size_t bytes = size(random);
            const object made = make_object(heap_, bytes);
            for (std::size_t at = 0; at < bytes; at += 512)
                reinterpret_cast<std::byte*>(made.value)[at] = std::byte{1};
            made.value[0] = made.value[1] = bytes;
            opaque(made.value);
            live_bytes_ += bytes;
            return made;
        }

        /// Bytes that are resident for a byte that is live; 0 where the system does not tell.
        [[nodiscard]] double over_live() const {
            const auto now = resident();
            return now && start_
                       ? (static_cast<double>(now->bytes) - static_cast<double>(start_->bytes)) /
                             static_cast<double>(live_bytes_)
                       : 0;
        }

        void free(object& o) {
            live_bytes_ -= o.bytes;
            end_object(heap_, o);
        }

        S heap_;
        std::string pattern_;
        std::size_t count_;
        reserved<object> objects_;
        reserved<object> staying_;
        std::size_t live_bytes_ = 0;
        std::optional<resident_memory> start_;
    };
};

ARENITE_LAB_WORKLOAD(memory_fragmentation);

} // namespace
} // namespace arenite::lab
