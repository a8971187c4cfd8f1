// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "../probes/object.hpp"
#include "../probes/random.hpp"
#include "../probes/size_range.hpp"
#include "../workload.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

// memory/cold: a process that has just started fills so many KiB with objects of 16 to 512 bytes,
// every line of which is written: what the memory of a small program costs, faults included.
//
// memory/large: objects of 64 to 250 KB, or of other `sizes`, a byte written in each page: images,
// meshes, buffers. `count` are made, then random ones are freed and others made, at one level:
// whatever goes to the system meanwhile has to be faulted in and cleared again (replace_faults).
// Then all are freed.
//
// Read `page_faults` beside `fill`: a fault costs more than the allocations of its page, so a
// subject that spreads its objects over more pages shows there first. `resident` is for a byte that
// is live: above 1 by rounding, bookkeeping, and pages that are touched in part.

namespace arenite::lab {
namespace {

struct memory_cold {
    static workload_info info() {
        return {.name = "memory/cold",
                .summary = "a fresh process fills its first memory with objects of 16 to 512 bytes",
                .parameters = {{.name = "kib",
                                .defaults = {"1000", "10000"},
                                .summary = "KiB of objects",
                                .least = 1,
                                .most = 4'000'000,
                                .short_values = {"1000"}}},
                .warm_passes = 0,
                .short_warm_passes = 0,
                .touches = [](const parameter_values& values) {
                    return (std::stoull(values.at("kib")) << 11) + (std::size_t{64} << 20);
                }};
    }

    template <class S>
    static constexpr bool accepts = frees_singly<S> && !one_of_several<S> && !one_size<S>;

    template <class S>
    class on {
    public:
        explicit on(turn& t)
            : bytes_{static_cast<std::size_t>(t.integer("kib")) << 10}, objects_{bytes_ / 16 + 1},
              start_{resident()} {
            random_source random{1};
            for (std::size_t total = 0; total < bytes_; ++count_) {
                const std::size_t bytes = 16 + random.below(497);
                objects_[count_].bytes = bytes;
                total += bytes;
            }
        }

        void pass(turn& t) {
            const std::size_t before = page_faults();
            const stopwatch watch;
            for (std::size_t i = 0; i < count_; ++i) {
                objects_[i] = make_object(heap_, objects_[i].bytes);
                touch(objects_[i], line_bytes);
            }
            const double time = watch.nanoseconds();
            const auto faults = static_cast<double>(page_faults() - before);
            t.record("fill", "ns/KiB", time / (static_cast<double>(bytes_) / 1024));
            t.record("page_faults", "faults/1000 objects",
                     1000 * faults / static_cast<double>(count_));
            t.record_memory("resident", "bytes/byte", start_, bytes_);
            std::uint64_t sum = 0;
            for (std::size_t i = 0; i < count_; ++i) {
                sum = sum * 31 + *objects_[i].value;
                end_object(heap_, objects_[i]);
            }
            t.checksum(sum);
        }

    private:
        S heap_;
        std::size_t bytes_, count_ = 0;
        reserved<object> objects_;
        std::optional<resident_memory> start_;
    };
};

ARENITE_LAB_WORKLOAD(memory_cold);

struct memory_large {
    static workload_info info() {
        return {.name = "memory/large",
                .summary = "objects of 64 to 250 KB: made, replaced at random, freed",
                .parameters = {{.name = "count",
                                .defaults = {"300"},
                                .summary = "objects that live at once",
                                .least = 1,
                                .most = 100'000},
                               {.name = "sizes",
                                .type = parameter::kind::choice,
                                .defaults = {"64000-250000"},
                                .summary = "of the objects in bytes, at random",
                                .choices = {"64000-250000", "16384-65536", "65536-1048576",
                                            "524288-4194304"}}},
                .warm_passes = 1,
                .touches =
                    [](const parameter_values& values) {
                        return 2 * most_live(values) + (std::size_t{64} << 20);
                    },
                .check = [](const parameter_values& values) -> std::optional<std::string> {
                    if (most_live(values) > std::size_t{4} << 30)
                        return "so many objects of these sizes take more than 4 GiB";
                    return std::nullopt;
                }};
    }

    static std::size_t most_live(const parameter_values& values) {
        return size_range{values.at("sizes")}.most *
               static_cast<std::size_t>(std::stoll(values.at("count")));
    }

    template <class S>
    static constexpr bool accepts = frees_singly<S> && !one_of_several<S> && !one_size<S>;

    template <class S>
    class on {
    public:
        explicit on(turn& t)
            : sizes_{t.text("sizes")}, objects_{static_cast<std::size_t>(t.integer("count"))},
              start_{resident()} {}

        void pass(turn& t) {
            random_source random{1};
            std::size_t live = 0;
            const auto make = [&](object& o) {
                o = make_object(heap_, sizes_.any(random));
                touch(o, page_bytes);
                live += o.bytes;
            };
            const std::size_t before = page_faults();
            const stopwatch filling;
            for (object& o : objects_)
                make(o);
            t.record("fill", "us/object", filling.per(objects_.size()) / 1000);
            t.record("page_faults", "faults/1000 objects",
                     1000 * static_cast<double>(page_faults() - before) /
                         static_cast<double>(objects_.size()));

            const std::size_t pairs = 10 * objects_.size();
            const std::size_t filled = page_faults();
            const stopwatch replacing;
            for (std::size_t i = 0; i < pairs; ++i) {
                object& o = objects_[static_cast<std::size_t>(random.below(objects_.size()))];
                live -= o.bytes;
                end_object(heap_, o);
                make(o);
            }
            t.record("replace", "us/pair", replacing.per(pairs) / 1000);
            t.record("replace_faults", "faults/1000 pairs",
                     1000 * static_cast<double>(page_faults() - filled) /
                         static_cast<double>(pairs));
            if (t.cold())
                t.record_memory("resident", "bytes/byte", start_, live);
            std::uint64_t sum = 0;
            for (const object& o : objects_)
                sum = sum * 31 + *o.value;
            const stopwatch freeing;
            for (const object& o : objects_)
                end_object(heap_, o);
            t.record("free", "us/object", freeing.per(objects_.size()) / 1000);
            t.checksum(sum);
        }

    private:
        S heap_;
        size_range sizes_;
        reserved<object> objects_;
        std::optional<resident_memory> start_;
    };
};

ARENITE_LAB_WORKLOAD(memory_large);

} // namespace
} // namespace arenite::lab
