// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "../probes/random.hpp"
#include "../probes/together.hpp"
#include "../workload.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

// threads/shared_lines: what an allocator itself does to bring about false sharing (seed 3, 7.1).
//
// Threads take turns: each allocates 1 to 7 elements of 24 bytes, and in every 50th turn frees a
// random half of its own elements. No thread frees what another one allocated. `shared` is the
// share of the lines in use that hold elements of two threads, after all turns; `lines` how many
// there are.

namespace arenite::lab {
namespace {

struct threads_shared_lines {
    static workload_info info() {
        return {.name = "threads/shared_lines",
                .summary = "lines of the cache that hold elements of two threads (seed 3, 7.1)",
                .parameters = {{.name = "threads",
                                .defaults = {"2", "4"},
                                .summary = "that allocate in turn",
                                .least = 2,
                                .most = most_threads},
                               {.name = "rounds",
                                .defaults = {"1000"},
                                .summary = "turns of each thread",
                                .least = 1,
                                .most = 1'000'000}},
                .warm_passes = 1,
                .in_short = false,
                .ours = "arenite.affinity",
                .touches = [](const parameter_values&) { return std::size_t{64} << 20; }};
    }

    template <class S>
    static constexpr bool accepts = for_any_thread<S> && !one_of_several<S>;
    template <class S>
    static constexpr bool accepts_also = for_any_thread<S> && serves_containers<S>;

    template <class S>
    class on {
        using element = std::array<std::uint64_t, 3>;

    public:
        explicit on(turn& t)
            : threads_{static_cast<std::size_t>(t.integer("threads"))},
              rounds_{static_cast<std::size_t>(t.integer("rounds"))} {}

        void pass(turn& t) {
            std::array<std::vector<element*>, most_threads> made;
            std::atomic<std::size_t> next{0}, ready{0};
            std::map<std::uintptr_t, std::size_t> lines; // the thread, or threads_: of several
            static_cast<void>(together(threads_, [&](std::size_t p) {
                const auto use = [&](auto get, auto put) {
                    take_turns(p, made[p], next, get, put);
                    ready.fetch_add(1);
                    if (p == 0) {
                        while (ready.load() != threads_)
                            std::this_thread::yield();
                        lines = owners(made);
                        ready.fetch_add(1);
                    }
                    while (ready.load() != threads_ + 1)
                        std::this_thread::yield();
                    for (element* const e : made[p])
                        put(e);
                };
                if constexpr (any_size<S>) {
                    use(
                        [&] {
                            return static_cast<element*>(
                                heap_.allocate(sizeof(element), alignof(element)));
                        },
                        [&](element* e) {
                            heap_.deallocate(e, sizeof(element), alignof(element));
                        });
                } else {
                    auto allocator = heap_.template allocator_of<element>();
                    use([&] { return allocator.allocate(1); },
                        [&](element* e) { allocator.deallocate(e, 1); });
                }
            }));
            const auto of_two = std::count_if(lines.begin(), lines.end(), [&](const auto& line) {
                return line.second == threads_;
            });
            std::size_t count = 0;
            for (const std::vector<element*>& mine : made)
                count += mine.size();
            t.note("shared", "%",
                   100.0 * static_cast<double>(of_two) / static_cast<double>(lines.size()));
            t.note("lines", "lines", static_cast<double>(lines.size()));
            t.checksum(count);
        }

    private:
        template <class Get, class Put>
        void take_turns(std::size_t p, std::vector<element*>& mine, std::atomic<std::size_t>& next,
                        Get get, Put put) {
            random_source random{p + 1};
            for (std::size_t round = 0; round < rounds_; ++round) {
                while (next.load(std::memory_order_acquire) != round * threads_ + p)
                    std::this_thread::yield();
                if (round % 50 == 49) {
                    for (std::size_t n = mine.size() / 2; n > 0; --n) {
                        std::swap(mine[random.below(mine.size())], mine.back());
                        put(mine.back());
                        mine.pop_back();
                    }
                }
                for (std::size_t n = 1 + random.below(7); n > 0; --n)
                    mine.push_back(get());
                next.store(round * threads_ + p + 1, std::memory_order_release);
            }
        }

        [[nodiscard]] std::map<std::uintptr_t, std::size_t>
        owners(const std::array<std::vector<element*>, most_threads>& made) const {
            constexpr std::size_t line_bytes = 64;
            std::map<std::uintptr_t, std::size_t> lines;
            for (std::size_t p = 0; p < threads_; ++p) {
                for (const element* const e : made[p]) {
                    const auto begin = reinterpret_cast<std::uintptr_t>(e);
                    for (std::uintptr_t line = begin / line_bytes;
                         line <= (begin + sizeof(element) - 1) / line_bytes; ++line) {
                        const auto [at, is_new] = lines.try_emplace(line, p);
                        if (!is_new && at->second != p)
                            at->second = threads_;
                    }
                }
            }
            return lines;
        }

        S heap_;
        std::size_t threads_;
        std::size_t rounds_;
    };
};

ARENITE_LAB_WORKLOAD(threads_shared_lines);

} // namespace
} // namespace arenite::lab
