// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "../probes/latency.hpp"
#include "../probes/object.hpp"
#include "../probes/random.hpp"
#include "../workload.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

// latency/heap: how long a single call takes, and how long at worst.
//
// `live` objects are allocated; then, `calls` times, a random one is freed or another one
// allocated, as a coin decides while no more than a sixteenth fewer or more are live; of a thousand
// that are allocated then, `long_lived` stay beside the others; then all are freed. Sizes are 16 to
// 512 bytes, one of 64 of them up to 4096. Each call is timed by itself.
//
// allocate_..., free_...   calls of the steady part: its memory is resident, also in a cold pass.
// fill_...                 the first allocations: in a cold pass of memory that nobody has touched,
//                          in a warm one of what is left of all that was freed.
//
// The first 16 bytes of an object are written within the time of its allocation, and read before
// the time of its free. What taking the time costs, some 20 ns, is in each figure. Calls in which
// the system gave the processor to others do not count (probes/latency.hpp); that of a virtual
// machine may be taken unseen, so of a worst the least of several turns tells most.

namespace arenite::lab {
namespace {

struct latency_heap {
    static workload_info info() {
        return {.name = "latency/heap",
                .summary = "random calls among many live objects, each timed by itself",
                .parameters = {{.name = "live",
                                .defaults = {"100000", "1000000"},
                                .summary = "objects",
                                .least = 16,
                                .most = 100'000'000},
                               {.name = "calls",
                                .defaults = {"2000000"},
                                .summary = "that are timed, allocations and frees",
                                .least = 1000,
                                .most = 1'000'000'000},
                               {.name = "long_lived",
                                .defaults = {"0"},
                                .summary = "of a thousand objects, which stay to the end",
                                .least = 0,
                                .most = 1000,
                                .full_values = {"0", "10"}}},
                .warm_passes = 1,
                .in_short = false,
                .touches = [](const parameter_values& values) {
                    return 640 * static_cast<std::size_t>(std::stoll(values.at("live"))) +
                           (std::size_t{64} << 20);
                }};
    }

    template <class S>
    static constexpr bool accepts = (frees_singly<S> && !one_of_several<S>) || in_one_region<S>;

    template <class S>
    class on {
    public:
        explicit on(turn& t)
            : live_{static_cast<std::size_t>(t.integer("live"))},
              calls_{static_cast<std::size_t>(t.integer("calls"))}, most_{live_ + live_ / 16},
              long_lived_{static_cast<std::uint64_t>(t.integer("long_lived"))}, objects_{most_},
              staying_{long_lived_ == 0 ? 0 : calls_}, filling_{live_}, allocating_{calls_},
              freeing_{calls_} {}

        void pass(turn& t) {
            random_source random{1};
            std::uint64_t sum = 0;
            for (count_ = 0; count_ < live_;)
                allocate(filling_, count_, random);
            std::size_t allocations = 0, frees = 0, stayed = 0;
            while (allocations + frees < calls_) {
                const bool grow = random.below(2) == 0;
                if (count_ == live_ - live_ / 16 || (grow && count_ < most_)) {
                    allocate(allocating_, allocations++, random);
                    if (long_lived_ != 0 && random.below(1000) < long_lived_)
                        staying_[stayed++] = objects_[--count_];
                } else
                    sum = sum * 31 + free(freeing_, frees++, random.below(count_));
            }
            const auto end_all = [&](reserved<object>& objects, std::size_t& count) {
                while (count > 0) {
                    object& last = objects[--count];
                    sum = sum * 31 + *last.value;
                    end_object(heap_, last);
                }
            };
            end_all(objects_, count_);
            end_all(staying_, stayed);
            tell(t, "allocate", allocating_, allocations);
            tell(t, "free", freeing_, frees);
            tell(t, "fill", filling_, live_);
            t.checksum(sum);
        }

    private:
        static std::size_t size(random_source& random) {
            return random.below(64) == 0 ? 16 + random.below(4081) : 16 + random.below(497);
        }

        void allocate(latencies& times, std::size_t i, random_source& random) {
            const std::size_t bytes = size(random);
            const std::uint64_t value = random.below(UINT32_MAX);
            object made{};
            times.time(i, [&] {
                made = make_object(heap_, bytes);
                made.value[0] = made.value[1] = value;
                opaque(made.value);
            });
            objects_[count_++] = made;
        }

        std::uint64_t free(latencies& times, std::size_t i, std::size_t which) {
            const object gone = std::exchange(objects_[which], objects_[count_ - 1]);
            --count_;
            const std::uint64_t value = *gone.value;
            times.time(i, [&] { end_object(heap_, gone); });
            return value;
        }

        static void tell(turn& t, const std::string& call, latencies& times, std::size_t count) {
            t.record(call + "_50%", "ns", times.percentile(0.5, count));
            t.record(call + "_99%", "ns", times.percentile(0.99, count));
            t.record(call + "_99.9%", "ns", times.percentile(0.999, count));
            t.record(call + "_99.99%", "ns", times.percentile(0.9999, count));
            t.note(call + "_worst", "ns", times.percentile(1, count));
        }

        S heap_;
        std::size_t live_, calls_, most_;
        std::uint64_t long_lived_; ///< of a thousand
        std::size_t count_ = 0;
        reserved<object> objects_, staying_;
        latencies filling_, allocating_, freeing_;
    };
};

ARENITE_LAB_WORKLOAD(latency_heap);

} // namespace
} // namespace arenite::lab
