// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "../probes/objects_of.hpp"
#include "../probes/random.hpp"
#include "../probes/ticks.hpp"
#include "../workload.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

// objects/pool: objects that come and go, used again or made and ended (seed 3, 6.2.2).
//
// object=particle   48 bytes, set up from two numbers
// object=dear       64 bytes, whose constructor takes 1 us, as one does that registers its object
//                   with a renderer; whoever uses objects again pays for that once
//
// `live` objects are there. replace: one at random goes, a new one comes, a hundred thousand times.
// burst: all go, in the order in which they came, and as many come. Both are per object, which is
// acquired and given back. Heaps construct by placement new, and end by the destructor; pools of
// objects hand out an owner of one word, the others keep an owner of two.
// The first filling is not in the figures: a pool of dear objects pays for it what a heap does.

namespace arenite::lab {
namespace {

struct particle {
    particle(float x, float v) noexcept : position{x, x, x}, velocity{v, v, v} {}
    float position[3], velocity[3];
    std::uint64_t value = 1, color = 2, flags = 3;
};
static_assert(sizeof(particle) == 48);

/// Busy for 1 us; the time-stamp counter tells.
struct dear {
    dear() noexcept {
        static const auto one_us = static_cast<std::uint64_t>(1000 * measure_ticks_per_ns());
        const std::uint64_t start = ticks();
        while (ticks() - start < one_us) {
        }
    }
    ~dear() { opaque(this); }
    std::uint64_t value = 1, more[7]{};
};

struct objects_pool {
    static workload_info info() {
        return {.name = "objects/pool",
                .summary = "objects are used again, or made and ended (seed 3, 6.2.2)",
                .parameters = {{.name = "object",
                                .type = parameter::kind::choice,
                                .defaults = {"particle", "dear"},
                                .summary = "of 48 bytes, or with a constructor of 1 us",
                                .choices = {"particle", "dear"}},
                               {.name = "live",
                                .defaults = {"1000", "100000"},
                                .summary = "objects in use",
                                .least = 10,
                                .most = 10'000'000,
                                .short_values = {"1000"}}},
                .warm_passes = 3,
                .ours = "arenite.object_pool",
                .subjects = {"arenite.object_pool", "arenite.object_pool-4k", "arenite.pool",
                             "arenite.ordered", "std", "std-thp", "mimalloc", "jemalloc",
                             "tcmalloc", "boost.fast_pool"},
                .short_subjects = {"arenite.object_pool", "std", "mimalloc"},
                .touches = [](const parameter_values& values) {
                    return 256 * static_cast<std::size_t>(std::stoll(values.at("live"))) +
                           (std::size_t{64} << 20);
                }};
    }

    template <class S>
    static constexpr bool accepts = a_heap<S>;
    template <class S>
    static constexpr bool accepts_also = one_size<S> || has_objects<S>;

    template <class S, class T>
    class use {
    public:
        explicit use(std::size_t live) : owners_(live), order_{1 << 12} {
            random_source random{1};
            for (std::uint32_t& i : order_)
                i = static_cast<std::uint32_t>(random.below(live));
        }

        void pass(turn& t, std::size_t replacements) {
            for (auto& x : owners_)
                x = make(0);
            const stopwatch replacing;
            for (std::size_t n = 0; n < replacements; ++n) {
                auto& x = owners_[order_[n % order_.size()]];
                x.reset();
                x = make(n);
                opaque(x.get());
            }
            t.record("replace", "ns/object", replacing.per(replacements));

            const std::size_t bursts = 1 + replacements / owners_.size();
            const stopwatch bursting;
            for (std::size_t b = 0; b < bursts; ++b) {
                for (auto& x : owners_)
                    x.reset();
                for (auto& x : owners_)
                    x = make(b);
                opaque(owners_.data());
            }
            t.record("burst", "ns/object", bursting.per(bursts * owners_.size()));

            std::uint64_t sum = 0;
            for (auto& x : owners_)
                sum += x->value;
            t.checksum(sum);
            for (auto& x : owners_)
                x.reset();
        }

    private:
        using objects = typename objects_for<S, T>::type;

        [[nodiscard]] auto make(std::size_t n) {
            if constexpr (std::is_same_v<T, particle>)
                return objects_.acquire(static_cast<float>(n), 1.0F);
            else
                return objects_.acquire();
        }

        objects objects_;
        std::vector<typename objects::owner> owners_;
        reserved<std::uint32_t> order_;
    };

    template <class S>
    class on {
    public:
        explicit on(turn& t) {
            const auto live = static_cast<std::size_t>(t.integer("live"));
            if (t.text("object") == "particle")
                particles_.emplace(live);
            else
                dear_.emplace(live);
        }

        void pass(turn& t) {
            if (particles_)
                particles_->pass(t, 1'000'000);
            else
                dear_->pass(t, 20'000);
        }

    private:
        std::optional<use<S, particle>> particles_;
        std::optional<use<S, dear>> dear_;
    };
};

ARENITE_LAB_WORKLOAD(objects_pool);

} // namespace
} // namespace arenite::lab
