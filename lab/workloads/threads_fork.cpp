// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "../probes/object.hpp"
#include "../probes/random.hpp"
#include "../probes/together.hpp"
#include "../workload.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

// threads/fork: how long a call takes where many threads want large objects at once.
//
// pattern=fork    eight threads allocate and free 40 KB again and again, each with ten objects; the
//                 main thread forks `times` times (the children end at once). `fork` is the time of
//                 a fork, `worst` that of the longest one.
// pattern=large   sixteen threads replace one of ten objects of 33 to 200 KB, 1000 * `times` times
//                 in all: `replace`, of a core, and the `worst` single allocation.
//
// There are more threads than processors: a worst call contains what the system gives to others
// meanwhile, with any allocator.

namespace arenite::lab {
namespace {

struct threads_fork {
    static workload_info info() {
        return {.name = "threads/fork",
                .summary = "the worst fork beside threads that allocate, the worst allocation",
                .parameters = {{.name = "pattern",
                                .type = parameter::kind::choice,
                                .defaults = {"fork", "large"},
                                .summary = "what is timed: see lab/workloads/threads_fork.cpp",
                                .choices = {"fork", "large"}},
                               {.name = "times",
                                .defaults = {"100"},
                                .summary = "of forks; a thousandth of the allocations",
                                .least = 1,
                                .most = 100'000}},
                .warm_passes = 0,
                .short_warm_passes = 0,
                .in_short = false,
                .ours = "arenite.affinity"};
    }

    template <class S>
    static constexpr bool accepts = for_any_thread<S>;

    template <class S>
    class on {
    public:
        explicit on(turn& t)
            : forks_{t.text("pattern") == "fork"},
              times_{static_cast<std::size_t>(t.integer("times"))} {}

        void pass(turn& t) {
            if (forks_)
                fork_beside_others(t);
            else
                allocate_at_once(t);
        }

    private:
        static constexpr std::size_t live = 10; ///< objects of each thread

        /// Holds some objects and replaces one after the other, of 33,000 to `most` bytes.
        class worker {
        public:
            worker(S& heap, std::uint64_t seed, std::size_t most)
                : heap_{heap}, random_{seed}, sizes_{(most - 33'000) / 8 + 1} {
                for (object& o : objects_)
                    make(o);
            }
            ~worker() {
                for (const object& o : objects_)
                    end_object(heap_, o);
            }
            worker(const worker&) = delete;
            worker& operator=(const worker&) = delete;

            /// Nanoseconds of the allocation.
            double replace() {
                object& o = objects_[next_++ % live];
                sum_ += o.bytes;
                end_object(heap_, o);
                return make(o);
            }
            [[nodiscard]] std::uint64_t sum() const noexcept { return sum_; }

        private:
            double make(object& o) {
                const std::size_t bytes = 33'000 + 8 * random_.below(sizes_);
                const stopwatch allocating;
                o = make_object(heap_, bytes);
                *o.value = bytes;
                const double time = allocating.nanoseconds();
                opaque(o.value);
                return time;
            }

            S& heap_;
            random_source random_;
            std::size_t sizes_, next_ = 0;
            std::uint64_t sum_ = 0;
            std::array<object, live> objects_;
        };

        void fork_beside_others(turn& t) {
            constexpr std::size_t busy = 8;
            std::atomic<bool> stop{false};
            std::atomic<std::size_t> ready{0};
            std::array<std::thread, busy> others;
            for (std::size_t i = 0; i < busy; ++i)
                others[i] = std::thread{[&, i] {
                    worker mine{heap_, i, 40'000};
                    ++ready;
                    while (!stop.load(std::memory_order_relaxed))
                        mine.replace();
                }};
            while (ready != busy)
                std::this_thread::yield();
            double sum = 0, worst = 0;
            std::size_t children = 0;
            for (std::size_t i = 0; i < times_; ++i) {
                const stopwatch forking;
                const pid_t child = ::fork();
                if (child == 0)
                    ::_exit(0);
                const double time = forking.nanoseconds();
                sum += time;
                worst = std::max(worst, time);
                int status = -1;
                children += child > 0 && ::waitpid(child, &status, 0) == child && status == 0;
            }
            stop = true;
            for (std::thread& other : others)
                other.join();
            t.record("fork", "us", sum / static_cast<double>(times_) / 1000);
            t.record("worst", "us", worst / 1000);
            t.checksum(children);
        }

        void allocate_at_once(turn& t) {
            constexpr std::size_t threads = most_threads;
            const std::size_t each = times_ * 1000 / threads + 1;
            std::array<double, threads> worst{};
            std::atomic<std::uint64_t> sum{0};
            const double time = together(threads, [&](std::size_t i) {
                worker mine{heap_, i, 200'000};
                for (std::size_t n = 0; n < each; ++n)
                    worst[i] = std::max(worst[i], mine.replace());
                sum += mine.sum();
            });
            const double cores = std::max(1U, std::thread::hardware_concurrency());
            t.record("replace", "ns",
                     time * std::min<double>(threads, cores) / static_cast<double>(each * threads));
            t.record("worst", "us", *std::max_element(worst.begin(), worst.end()) / 1000);
            t.checksum(sum);
        }

        S heap_;
        bool forks_;
        std::size_t times_;
    };
};

ARENITE_LAB_WORKLOAD(threads_fork);

} // namespace
} // namespace arenite::lab
