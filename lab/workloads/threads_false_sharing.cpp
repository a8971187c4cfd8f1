// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "../probes/together.hpp"
#include "../workload.hpp"

#include <arenite/core/config.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <thread>

// threads/false_sharing: counters of several threads on one cache line (seed 3, 7.1).
//
// slots=shared   listing 7.1: each thread counts the odd numbers of its part of a matrix in its own
//                slot of one array; the slots are volatile, so that the compiler does not keep them
//                in a register and so repair the program
// slots=own      listing 7.2: in a variable of its own, which is written to the array at the end
// slots=objects  the allocator's own part in it: each thread allocates 64 objects of 16 bytes in
//                turn with the others, and then counts in one of its own. `shared_lines` is how
//                many lines hold objects of two threads.
//
// count: the time for each element with all threads; one_thread: with one. `speedup` is how many
// times as fast all are: the thesis has a machine of 24 cores. Threads of one core share its cache,
// so that between two of them nothing is to be seen. Only slots=objects compares subjects.

namespace arenite::lab {
namespace {

constexpr std::size_t dimension = 2000;
constexpr std::size_t line_bytes = 64;

/// Not inlined: the same code for each subject.
template <class Counter>
ARENITE_NOINLINE void count_odd(const std::uint32_t* begin, const std::uint32_t* end,
                                Counter& counter) {
    for (; begin != end; ++begin)
        if (*begin % 2 != 0)
            counter = counter + 1;
}

struct threads_false_sharing {
    static workload_info info() {
        return {.name = "threads/false_sharing",
                .summary = "counters of several threads on one line (seed 3, listings 7.1, 7.2)",
                .parameters = {{.name = "slots",
                                .type = parameter::kind::choice,
                                .defaults = {"shared", "own", "objects"},
                                .summary = "in one array, in own variables, or allocated",
                                .choices = {"shared", "own", "objects"}},
                               {.name = "threads",
                                .defaults = {std::to_string(usual_threads())},
                                .summary = "that count at once",
                                .least = 1,
                                .most = most_threads}},
                .warm_passes = 3,
                .in_short = false,
                .ours = "arenite.affinity",
                .touches = [](const parameter_values&) { return std::size_t{64} << 20; }};
    }

    template <class S>
    static constexpr bool accepts = for_any_thread<S> && !one_of_several<S>;

    template <class S>
    class on {
    public:
        explicit on(turn& t)
            : threads_{static_cast<std::size_t>(t.integer("threads"))}, slots_{t.text("slots")} {
            for (std::size_t i = 0; i < matrix_.size(); ++i)
                matrix_[i] = static_cast<std::uint32_t>(i * 2654435761U >> 7);
        }

        void pass(turn& t) {
            const double one = best_of(1, t);
            const double all = best_of(threads_, t);
            if (slots_ == "objects") {
                t.record("one_thread", "ns/element", one);
                t.record("count", "ns/element", all);
            } else { // no subject has a part in it
                t.note("one_thread", "ns/element", one);
                t.note("count", "ns/element", all);
            }
            t.note("speedup", "x", one / all);
            t.checksum(odd_);
        }

    private:
        double best_of(std::size_t threads, turn& t) {
            double best = std::numeric_limits<double>::max();
            for (int i = 0; i < 5; ++i)
                best = std::min(best, slots_ == "objects" ? count_in_objects(threads, t)
                                                          : count_in_array(threads));
            return best / static_cast<double>(matrix_.size());
        }

        template <class Counter>
        void count(std::size_t p, std::size_t threads, Counter& counter) {
            const std::size_t begin = matrix_.size() * p / threads;
            count_odd(&matrix_[begin], &matrix_[0] + matrix_.size() * (p + 1) / threads, counter);
        }

        double count_in_array(std::size_t threads) {
            alignas(line_bytes) static volatile int result[most_threads];
            const bool own = slots_ == "own";
            const double time = together(threads, [&](std::size_t p) {
                result[p] = 0;
                if (own) {
                    int mine = 0;
                    count(p, threads, mine);
                    result[p] = mine;
                } else {
                    count(p, threads, result[p]);
                }
            });
            odd_ = 0;
            for (std::size_t p = 0; p < threads; ++p)
                odd_ += static_cast<std::uint64_t>(result[p]);
            return time;
        }

        /// The threads take turns while they allocate.
        double count_in_objects(std::size_t threads, turn& t) {
            using objects = std::array<volatile std::uint64_t*, objects_each>;
            std::array<objects, most_threads> made{};
            std::atomic<std::size_t> next{0};
            static_cast<void>(together(threads, [&](std::size_t p) {
                for (std::size_t i = 0; i < objects_each; ++i) {
                    while (next.load(std::memory_order_acquire) != i * threads + p)
                        std::this_thread::yield();
                    made[p][i] = static_cast<volatile std::uint64_t*>(
                        heap_.allocate(object_bytes, alignof(std::uint64_t)));
                    next.store(i * threads + p + 1, std::memory_order_release);
                }
            }));
            const double time = together(threads, [&](std::size_t p) {
                volatile std::uint64_t& mine = *made[p][objects_each / 2];
                mine = 0;
                count(p, threads, mine);
            });
            odd_ = 0;
            std::set<std::uintptr_t> lines, of_two;
            for (std::size_t p = 0; p < threads; ++p) {
                odd_ += *made[p][objects_each / 2];
                std::set<std::uintptr_t> mine;
                for (volatile std::uint64_t* const o : made[p])
                    mine.insert(reinterpret_cast<std::uintptr_t>(o) / line_bytes);
                for (const std::uintptr_t line : mine)
                    if (!lines.insert(line).second)
                        of_two.insert(line);
            }
            if (threads > 1)
                t.note("shared_lines", "lines", static_cast<double>(of_two.size()));
            for (std::size_t p = 0; p < threads; ++p)
                for (volatile std::uint64_t* const o : made[p])
                    heap_.deallocate(const_cast<std::uint64_t*>(o), object_bytes,
                                     alignof(std::uint64_t));
            return time;
        }

        static constexpr std::size_t objects_each = 64;
        static constexpr std::size_t object_bytes = 16;

        S heap_;
        std::size_t threads_;
        std::string slots_;
        std::uint64_t odd_ = 0;
        reserved<std::uint32_t> matrix_{dimension * dimension};
    };

private:
    [[nodiscard]] static std::size_t usual_threads() {
        return std::clamp<std::size_t>(std::thread::hardware_concurrency(), 2, most_threads);
    }
};

ARENITE_LAB_WORKLOAD(threads_false_sharing);

} // namespace
} // namespace arenite::lab
