// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "../workload.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <thread>

// threads/tasks: each task is a thread of its own, and other tasks free what it made.
//
// A task makes `objects` nodes of 48 bytes, linked to a list, and walks and frees the list that the
// eighth task before it made; then its thread ends. Four threads live at once. So no thread frees
// what it allocated, and twelve lists at most live, however many tasks there are: what is held for
// threads that have ended must serve the next ones.
//
// task      time for each task, that of making a thread included.
// resident  the most that was resident at once, for a byte that lived: thread stacks included.
// reserved  what the heap holds after the last task, for a byte that lived (a note; of subjects
//           that tell).

namespace arenite::lab {
namespace {

struct threads_tasks {
    static workload_info info() {
        return {.name = "threads/tasks",
                .summary = "tasks on threads of their own free what earlier ones made",
                .parameters = {{.name = "tasks",
                                .defaults = {"20000"},
                                .summary = "one after the other, four at once",
                                .least = 100,
                                .most = 100'000'000},
                               {.name = "objects",
                                .defaults = {"1", "50"},
                                .summary = "that a task makes",
                                .least = 1,
                                .most = 1'000'000}},
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
            : tasks_{static_cast<std::size_t>(t.integer("tasks"))},
              objects_{static_cast<std::size_t>(t.integer("objects"))}, start_{resident()} {}

        void pass(turn& t) {
            std::array<node*, lists> made{};
            std::array<std::uint64_t, lists> sums{};
            std::array<std::thread, threads> running;
            restart_peak();
            const stopwatch working;
            for (std::size_t i = 0; i < tasks_; ++i) {
                std::thread& mine = running[i % threads];
                if (mine.joinable())
                    mine.join();
                mine = std::thread{[&, i] {
                    node* const list = make(i);
                    sums[i % lists] += walk_and_free(made[(i + threads) % lists]);
                    made[(i + threads) % lists] = nullptr;
                    made[i % lists] = list;
                }};
            }
            for (std::thread& last : running)
                last.join();
            t.record("task", "ns/task", working.per(tasks_));
            const double live = static_cast<double>(lists * objects_ * sizeof(node));
            if (const auto peak = peak_resident(); peak && start_)
                t.record("resident", "bytes/byte",
                         (static_cast<double>(*peak) - static_cast<double>(start_->bytes)) / live);
            if constexpr (requires { heap_.reserved_bytes(); })
                t.note("reserved", "bytes/byte",
                       static_cast<double>(heap_.reserved_bytes()) / live);
            std::uint64_t sum = 0;
            for (std::size_t i = 0; i < lists; ++i)
                sum += sums[i] + walk_and_free(made[i]);
            t.checksum(sum);
        }

    private:
        /// A task begins when the fourth before it has ended: it frees the list of the eighth, in
        /// whose place that of the fourth after it will be.
        static constexpr std::size_t threads = 4, lists = 12;

        struct node {
            node* next;
            std::uint64_t value;
            std::byte more[32];
        };

        [[nodiscard]] node* make(std::uint64_t value) {
            node* first = nullptr;
            for (std::size_t n = 0; n < objects_; ++n) {
                auto* const made = static_cast<node*>(heap_.allocate(sizeof(node), alignof(node)));
                made->next = first;
                made->value = value;
                first = made;
            }
            return first;
        }

        [[nodiscard]] std::uint64_t walk_and_free(node* first) {
            std::uint64_t sum = 0;
            while (first != nullptr) {
                node* const gone = first;
                first = gone->next;
                sum += gone->value;
                heap_.deallocate(gone, sizeof(node), alignof(node));
            }
            return sum;
        }

        S heap_;
        std::size_t tasks_, objects_;
        std::optional<resident_memory> start_;
    };
};

ARENITE_LAB_WORKLOAD(threads_tasks);

} // namespace
} // namespace arenite::lab
