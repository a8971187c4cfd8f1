// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "../probes/clock.hpp"
#include "../probes/latency.hpp"
#include "../probes/random.hpp"
#include "../probes/reserved.hpp"
#include "../probes/resident.hpp"
#include "../workload.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

// offset/churn, latency/offset: one part of a range is freed at random, another one allocated.
//
// `live` parts of 256 B to 64 KiB, log-uniform, in 1 GiB (more where they would fill more than 60 %
// of it); then 500,000 times a random one is freed and one of another size allocated. Granularity
// is the alignment; `alignment=mixed` is 16 to 4096 on a granularity of 16.
//
// pair          a free and an allocation
// bookkeeping   memory beside the range that became resident for a part by then, of a fresh process
// high water    the end of the highest part that ever was, over the bytes in use at the end
//
// latency/offset times each call by itself: allocate_..., free_... (probes/latency.hpp).

namespace arenite::lab {
namespace {

enum class timing { all, each };

template <timing Timing>
struct offset_churn_of {
    static workload_info info() {
        return {.name = Timing == timing::all ? "offset/churn" : "latency/offset",
                .summary =
                    Timing == timing::all
                        ? "parts of a range that nobody touches: one is freed, another allocated"
                        : "the calls of offset/churn, each timed by itself",
                .parameters = {{.name = "alignment",
                                .type = parameter::kind::choice,
                                .defaults = {"16", "256", "mixed"},
                                .summary = "of all parts, or 16 to 4096",
                                .choices = {"16", "256", "mixed"}},
                               {.name = "live",
                                .defaults = {"50000"},
                                .summary = "parts that live at once",
                                .least = 1,
                                .most = 1'000'000}},
                .warm_passes = 1,
                .in_short = false,
                .ours = "arenite.offset",
                .subjects = {"arenite.offset", "arenite.memory_slots", "vma", "vma.min_memory",
                             "best_fit", "memory_slots"}};
    }

    template <class S>
    static constexpr bool accepts = false;
    template <class S>
    static constexpr bool accepts_also = serves_offsets<S>;

    template <class S>
    class on {
    public:
        explicit on(turn& t)
            : mixed_{t.text("alignment") == "mixed"},
              granularity_{mixed_ ? 16u
                                  : static_cast<std::uint64_t>(std::stoll(t.text("alignment")))},
              live_{static_cast<std::size_t>(t.integer("live"))}, steps_{pairs + live_},
              parts_{live_}, bytes_{live_} {
            random_source random{1};
            for (step& s : steps_) {
                const double octaves = static_cast<double>(random.below(1 << 20)) * 8 / (1 << 20);
                s.bytes = static_cast<std::uint64_t>(256 * std::exp2(octaves));
                s.alignment = mixed_ ? std::uint64_t{16} << random.below(9) : granularity_;
                s.part = static_cast<std::size_t>(random.below(live_));
            }
        }

        void pass(turn& t) {
            const std::uint64_t capacity =
                std::max(std::uint64_t{1} << 30, static_cast<std::uint64_t>(live_) * 20'000);
            const std::optional<resident_memory> before = resident();
            typename S::offsets range{capacity, granularity_};
            std::uint64_t high = 0, used = 0;
            for (std::size_t i = 0; i < live_; ++i) {
                parts_[i] = *range.allocate(steps_[i].bytes, steps_[i].alignment, i);
                bytes_[i] = steps_[i].bytes;
                high = std::max(high, range.end(parts_[i]));
            }
            const stopwatch pairing;
            for (std::size_t i = live_; i < steps_.size(); ++i) {
                const step& s = steps_[i];
                timed(freeing_, i - live_, [&] { range.deallocate(parts_[s.part]); });
                timed(allocating_, i - live_,
                      [&] { parts_[s.part] = *range.allocate(s.bytes, s.alignment, s.part); });
                high = std::max(high, range.end(parts_[s.part]));
                bytes_[s.part] = s.bytes;
            }
            const double pair = pairing.per(pairs);
            if (Timing == timing::all && t.cold())
                t.record_memory("bookkeeping", "bytes/part", before, live_);
            for (const std::uint64_t b : bytes_)
                used += b;
            if constexpr (Timing == timing::all) {
                t.record("pair", "ns/pair", pair);
                t.record("high water", "of bytes in use",
                         static_cast<double>(high) / static_cast<double>(used));
            } else {
                tell(t, "allocate", allocating_);
                tell(t, "free", freeing_);
            }
            t.checksum(used);
        }

    private:
        struct step {
            std::uint64_t bytes, alignment;
            std::size_t part;
        };
        static constexpr std::size_t pairs = 500'000;

        template <class F>
        static void timed(latencies& times, std::size_t i, F call) {
            if constexpr (Timing == timing::each)
                times.time(i, call);
            else
                call();
        }
        static void tell(turn& t, const std::string& call, latencies& times) {
            t.record(call + "_50%", "ns", times.percentile(0.5));
            t.record(call + "_99%", "ns", times.percentile(0.99));
            t.record(call + "_99.99%", "ns", times.percentile(0.9999));
            t.note(call + "_worst", "ns", times.percentile(1));
        }

        bool mixed_;
        std::uint64_t granularity_;
        std::size_t live_;
        reserved<step> steps_;
        reserved<typename S::offsets::part> parts_;
        reserved<std::uint64_t> bytes_; ///< of each part, as requested
        latencies allocating_{Timing == timing::each ? pairs : 1};
        latencies freeing_{Timing == timing::each ? pairs : 1};
    };
};

using offset_churn = offset_churn_of<timing::all>;
using latency_offset = offset_churn_of<timing::each>;

ARENITE_LAB_WORKLOAD(offset_churn);
ARENITE_LAB_WORKLOAD(latency_offset);

} // namespace
} // namespace arenite::lab
