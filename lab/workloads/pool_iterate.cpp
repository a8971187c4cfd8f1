// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "../probes/random.hpp"
#include "../workload.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

// pool/iterate: going through all objects of a pool that has holes.
//
// `count` objects of 48 bytes are inserted; some percent of them, chosen at random, are erased in
// random order; then all that are left are gone through, several times, and one word of each is
// added up. The holes are not filled in between. std.vector is the floor: its objects move, so that
// it has no holes; std.pointers is what programs do without a pool. "iterate" is per object that is
// left; the first walk of the cold pass is one of several there, so cold and warm differ little.
//
// `insert` and `erase_random` are for each object inserted or erased. `resident` is after the
// inserts.

namespace arenite::lab {
namespace {

constexpr int walks = 5;

struct particle {
    float position[3], velocity[3];
    std::uint64_t value;
    std::uint64_t color, flags;
};
static_assert(sizeof(particle) == 48);

struct pool_iterate {
    static workload_info info() {
        return {.name = "pool/iterate",
                .summary = "all objects of a pool with holes are gone through",
                .parameters = {{.name = "holes",
                                .defaults = {"0", "50", "90", "99"},
                                .summary = "percent of the objects that are erased, at random",
                                .least = 0,
                                .most = 99,
                                .short_values = {"90"}},
                               {.name = "count",
                                .defaults = {"1000000"},
                                .summary = "objects that are inserted",
                                .least = 100,
                                .most = 100'000'000}},
                .warm_passes = 2,
                .ours = "arenite.pool",
                .short_subjects = {"arenite.object_pool", "arenite.pool", "plf.colony",
                                   "std.pointers", "std.vector"},
                .touches = [](const parameter_values& values) {
                    return 128 * static_cast<std::size_t>(std::stoll(values.at("count"))) +
                           (std::size_t{64} << 20);
                }};
    }

    template <class S>
    static constexpr bool accepts = holds_objects<S>;
    template <class S>
    static constexpr bool accepts_also = holds_objects<S>;

    template <class S>
    class on {
    public:
        explicit on(turn& t)
            : count_{static_cast<std::size_t>(t.integer("count"))},
              erased_{count_ * static_cast<std::size_t>(t.integer("holes")) / 100}, order_{count_},
              handles_(count_), start_{resident()} {
            std::iota(order_.begin(), order_.end(), 0U);
            random_source{1}.shuffle(order_);
        }

        void pass(turn& t) {
            typename S::template bag<particle> objects;
            const stopwatch inserting;
            for (std::size_t i = 0; i < count_; ++i) {
                particle p{};
                p.value = i;
                handles_[i] = objects.insert(p);
            }
            t.record("insert", "ns/object", inserting.per(count_));
            if (t.cold())
                t.record_memory("resident", "bytes/object", start_, count_);

            if (erased_ != 0) {
                const stopwatch erasing;
                for (std::size_t k = 0; k < erased_; ++k)
                    objects.erase(handles_[order_[k]]);
                t.record("erase_random", "ns/object", erasing.per(erased_));
            }

            std::uint64_t sum = 0;
            std::size_t met = 0;
            for (int walk = 0; walk < walks; ++walk) {
                const stopwatch walking;
                objects.for_each([&](const particle& p) { sum += p.value; });
                opaque(&sum);
                t.record("iterate", "ns/object", walking.per(count_ - erased_));
            }
            objects.for_each([&](const particle&) { ++met; });
            t.checksum(sum * 31 + met);

            for (std::size_t k = erased_; k < count_; ++k)
                objects.erase(handles_[order_[k]]);
        }

    private:
        std::size_t count_;
        std::size_t erased_;
        reserved<std::uint32_t> order_;
        std::vector<typename S::template bag<particle>::handle> handles_;
        std::optional<resident_memory> start_;
    };
};

ARENITE_LAB_WORKLOAD(pool_iterate);

} // namespace
} // namespace arenite::lab
