// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "../probes/object.hpp"
#include "../probes/random.hpp"
#include "../workload.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

// memory/phases: what memory is taken when a program changes what it holds.
//
// Objects of one size fill `megabytes`; a random 90 % of them is freed; objects of another size
// fill up what was there; again a random 90 % of all is freed, and the first size fills up once
// more. What was left between is too scattered to go back: it can only serve the other size.
//
// sizes=48-64, 48-200: all objects of a phase are that large. mixed: 16 to 128 bytes, then 64 to
// 1024, at random. The first 16 bytes of an object are written, so that each page is resident.
//
// full, changed, changed_twice   what is resident for a byte that is live, after each filling.
// empty                          what is left when all is freed, for a byte that was live.
//
// `fill_` with the name of a phase is its time for an object that was added.

namespace arenite::lab {
namespace {

struct memory_phases {
    static workload_info info() {
        return {.name = "memory/phases",
                .summary = "fill with one size, free a random 90 %, fill with another, twice",
                .parameters = {{.name = "sizes",
                                .type = parameter::kind::choice,
                                .defaults = {"48-64", "48-200", "mixed"},
                                .summary = "of the first and of the second phase",
                                .choices = {"48-64", "48-200", "mixed"}},
                               {.name = "megabytes",
                                .defaults = {"128"},
                                .summary = "live at the end of each phase",
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
    static constexpr bool accepts = frees_singly<S> && !one_of_several<S>;

    template <class S>
    class on {
    public:
        explicit on(turn& t)
            : full_bytes_{static_cast<std::size_t>(t.integer("megabytes")) << 20},
              objects_{full_bytes_ / least_bytes + 1}, start_{resident()} {
            const std::string& sizes = t.text("sizes");
            if (sizes == "mixed")
                phases_[0] = {16, 128}, phases_[1] = {64, 1024};
            else
                phases_[0] = {48, 48},
                phases_[1] = sizes == "48-64" ? range{64, 64} : range{200, 200};
        }

        void pass(turn& t) {
            random_source random{1};
            sum_ = 0;
            fill(t, "full", phases_[0], random);
            free_most(t, random);
            fill(t, "changed", phases_[1], random);
            free_most(t, random);
            fill(t, "changed_twice", phases_[0], random);
            free_until(0);
            t.record_memory("empty", "bytes/byte", start_, full_bytes_);
            t.checksum(sum_);
        }

    private:
        static constexpr std::size_t least_bytes = 16;
        struct range {
            std::size_t least, most;
        };

        void fill(turn& t, const std::string& phase, range sizes, random_source& random) {
            const std::size_t before = count_;
            const stopwatch filling;
            while (live_bytes_ < full_bytes_) {
                const std::size_t bytes = sizes.least + random.below(sizes.most - sizes.least + 1);
                const object made = make_object(heap_, bytes);
                made.value[0] = made.value[1] = count_;
                opaque(made.value);
                objects_[count_++] = made;
                live_bytes_ += bytes;
            }
            t.record("fill_" + phase, "ns/object", filling.per(count_ - before));
            t.record_memory(phase, "bytes/byte", start_, live_bytes_);
        }

        void free_most(turn& t, random_source& random) {
            const std::size_t before = count_;
            for (std::size_t i = count_; i > 1; --i)
                std::swap(objects_[i - 1], objects_[random.below(i)]);
            const stopwatch freeing;
            free_until(count_ / 10);
            t.record("free", "ns/object", freeing.per(before - count_));
        }

        void free_until(std::size_t left) {
            while (count_ > left) {
                const object& o = objects_[--count_];
                sum_ = sum_ * 31 + *o.value;
                live_bytes_ -= o.bytes;
                end_object(heap_, o);
            }
        }

        S heap_;
        std::size_t full_bytes_;
        range phases_[2]{};
        reserved<object> objects_;
        std::size_t count_ = 0, live_bytes_ = 0;
        std::uint64_t sum_ = 0;
        std::optional<resident_memory> start_;
    };
};

ARENITE_LAB_WORKLOAD(memory_phases);

} // namespace
} // namespace arenite::lab
