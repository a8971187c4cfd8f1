// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "../probes/object.hpp"
#include "../probes/random.hpp"
#include "../probes/size_range.hpp"
#include "../workload.hpp"

#include <arenite/core/config.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

// order/pair: one is freed at random, another one allocated.
//
// As many objects as there are slots are allocated; then, a million times, that of a random slot is
// freed and one of another size allocated into it; then all are freed. A few slots stay in the
// cache, a million do not: a thousand of 16 to 512 bytes are what one thread of threads/scaling's
// larson does. The first 8 bytes of an object are written when it is allocated and not touched when
// it is freed. order/refill has such pairs in memory that has aged.

namespace arenite::lab {
namespace {

struct pair {
    static workload_info info() {
        return {.name = "order/pair",
                .summary = "a random object is freed and another one allocated, again and again",
                .parameters = {{.name = "slots",
                                .defaults = {"1000", "10000", "1000000"},
                                .summary = "objects that live at once",
                                .least = 1,
                                .most = 100'000'000},
                               {.name = "sizes",
                                .type = parameter::kind::choice,
                                .defaults = {"16-512", "24-80"},
                                .summary = "of the objects in bytes, at random",
                                .choices = {"16-512", "24-80", "8-1000", "1024-9216", "1024-30720",
                                            "1024-61440"}}},
                .warm_passes = 2,
                .in_short = false,
                .touches =
                    [](const parameter_values& values) {
                        return most_live(values) + (std::size_t{64} << 20);
                    },
                .check = [](const parameter_values& values) -> std::optional<std::string> {
                    if (most_live(values) > std::size_t{4} << 30)
                        return "so many slots of these sizes take more than 4 GiB";
                    return std::nullopt;
                }};
    }

    /// Bytes, with room for what a size is rounded to.
    static std::size_t most_live(const parameter_values& values) {
        const std::size_t most = size_range{values.at("sizes")}.most;
        return (most + most / 4) * static_cast<std::size_t>(std::stoll(values.at("slots")));
    }

    template <class S>
    static constexpr bool accepts = (frees_singly<S> && !one_of_several<S>) || in_one_region<S>;

    template <class S>
    class on {
    public:
        explicit on(turn& t) : slots_{static_cast<std::size_t>(t.integer("slots"))}, steps_{pairs} {
            const size_range sizes{t.text("sizes")};
            random_source random{1};
            for (step& s : steps_) {
                s.slot = static_cast<std::uint32_t>(random.below(slots_.size()));
                s.bytes = static_cast<std::uint32_t>(sizes.any(random));
            }
        }

        void pass(turn& t) {
            const stopwatch filling;
            for (std::size_t i = 0; i < slots_.size(); ++i)
                make(slots_[i], steps_[i % pairs].bytes);
            t.record("fill", "ns/object", filling.per(slots_.size()));

            const stopwatch pairing;
            replace_all();
            t.record("pair", "ns/pair", pairing.per(pairs));

            std::uint64_t sum = 0;
            for (object& o : slots_) {
                sum = sum * 31 + *o.value;
                end_object(heap_, o);
            }
            t.checksum(sum);
        }

    private:
        struct step {
            std::uint32_t slot, bytes;
        };
        static constexpr std::size_t pairs = 1'000'000;

        /// Out of line, so that callgrind can tell its instructions (lab/calls).
        ARENITE_NOINLINE void replace_all() {
            for (const step& s : steps_) {
                end_object(heap_, slots_[s.slot]);
                make(slots_[s.slot], s.bytes);
            }
        }

        void make(object& o, std::size_t bytes) {
            o = make_object(heap_, bytes);
            *o.value = bytes;
            opaque(o.value);
        }

        S heap_;
        reserved<object> slots_;
        reserved<step> steps_;
    };
};

ARENITE_LAB_WORKLOAD(pair);

} // namespace
} // namespace arenite::lab
