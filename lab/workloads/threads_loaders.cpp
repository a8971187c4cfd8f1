// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "../probes/together.hpp"
#include "../scene/objects.hpp"
#include "../workload.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>

// threads/loaders: two threads load, a third one deletes.
//
// Each loader builds small mixed scenes (scene/objects), one after the other; the deleter takes
// them in turn, visits them and lets them go. A loader is at most eight scenes ahead. `load` is the
// time from the first object to the last delete, for each object, arrays and elements counted.
// frees=unsized: operator delete does not tell the size.
//
// `resident_after` is what is left for each object when all scenes are gone: memory of objects that
// another thread freed, mostly.

namespace arenite::lab {
namespace {

struct threads_loaders {
    static workload_info info() {
        return {.name = "threads/loaders",
                .summary = "two threads build scenes, a third one visits and deletes them",
                .parameters = {{.name = "frees",
                                .type = parameter::kind::choice,
                                .defaults = {"unsized", "sized"},
                                .summary = "whether operator delete tells the size",
                                .choices = {"unsized", "sized"}},
                               {.name = "scenes",
                                .defaults = {"200"},
                                .summary = "of each loader",
                                .least = 1,
                                .most = 100'000},
                               {.name = "geometries",
                                .defaults = {"1000"},
                                .summary = "of a scene; there are some three objects to each",
                                .least = 1,
                                .most = 1'000'000}},
                .warm_passes = 2,
                .in_short = false,
                .ours = "arenite.affinity"};
    }

    template <class S>
    static constexpr bool accepts = frees_any<S> && for_any_thread<S>;

    template <class S>
    class on {
    public:
        explicit on(turn& t)
            : sized_{t.text("frees") == "sized"},
              scenes_{static_cast<std::size_t>(t.integer("scenes"))},
              geometries_{static_cast<std::size_t>(t.integer("geometries"))}, start_{resident()} {}

        void pass(turn& t) {
            if (sized_)
                load<objects::memory<S, true>>(t);
            else
                load<objects::memory<S, false>>(t);
        }

    private:
        static constexpr std::size_t loaders = 2, ahead = 8;

        /// Scenes that a loader has built and the deleter has not taken.
        template <class M>
        struct queue {
            typename objects::group<M>::child places[ahead];
            std::atomic<std::size_t> built{0}, taken{0};
        };

        template <class M>
        void load(turn& t) {
            M::nodes = &nodes_;
            M::data = &data_;
            queue<M> queues[loaders];
            std::size_t made[loaders] = {};
            std::uint64_t sum = 0;
            const double time = together(loaders + 1, [&](std::size_t i) {
                if (i == 0)
                    sum = delete_all(queues);
                else
                    made[i - 1] = build_all(queues[i - 1], i);
            });
            t.record("load", "ns/object", time / static_cast<double>(made[0] + made[1]));
            if (t.cold())
                t.record_memory("resident_after", "bytes/object", start_, made[0] + made[1]);
            t.checksum(sum);
        }

        template <class M>
        std::size_t build_all(queue<M>& q, std::uint64_t seed) {
            objects::builder<M> build{seed};
            for (std::size_t n = 0; n < scenes_; ++n) {
                auto scene = build.model(geometries_);
                while (q.taken.load(std::memory_order_acquire) + ahead == n)
                    std::this_thread::yield();
                q.places[n % ahead] = std::move(scene);
                q.built.store(n + 1, std::memory_order_release);
            }
            return build.made();
        }

        template <class M>
        std::uint64_t delete_all(queue<M> (&queues)[loaders]) {
            objects::visit v;
            for (std::size_t n = 0; n < scenes_; ++n) {
                for (queue<M>& q : queues) {
                    while (q.built.load(std::memory_order_acquire) == n)
                        std::this_thread::yield();
                    q.places[n % ahead]->accept(v);
                    q.places[n % ahead].reset();
                    q.taken.store(n + 1, std::memory_order_release);
                }
            }
            return v.sum;
        }

        S nodes_, data_;
        bool sized_;
        std::size_t scenes_, geometries_;
        std::optional<resident_memory> start_;
    };
};

ARENITE_LAB_WORKLOAD(threads_loaders);

} // namespace
} // namespace arenite::lab
