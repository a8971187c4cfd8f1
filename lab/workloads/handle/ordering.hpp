// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../../probes/random.hpp"
#include "../../workload.hpp"

#include <arenite/core/budget.hpp>
#include <arenite/handle/compaction_step.hpp>

#include <cstddef>
#include <cstdint>
#include <new>
#include <numeric>
#include <vector>

// Shared by the workloads of handles: nodes that are made anywhere, and put in order.
namespace arenite::lab {

/// The numbers below `count` in random order, the same in each turn.
struct shuffled_numbers : reserved<std::uint32_t> {
    explicit shuffled_numbers(std::size_t count) : reserved{count} {
        std::iota(begin(), end(), 0U);
        random_source{1}.shuffle(*this);
    }
};

/// Nodes of a heap that moves nothing.
template <class S, class Node>
class still_heap {
public:
    Node* make(const Node& value) {
        void* const place = heap_.allocate(sizeof(Node), alignof(Node));
        Node* const made = ::new (place) Node{value};
        opaque(made);
        return made;
    }
    void end(Node* n) { heap_.deallocate(n, sizeof(Node), alignof(Node)); }

private:
    heap_for<S, sizeof(Node), alignof(Node)> heap_;
};

/// The cost of putting objects in order.
struct ordering {
    double nanoseconds = 0;
    std::size_t moves = 0;
    std::vector<double> steps = {}; ///< nanoseconds each
};

/// To the end of an order, in steps of so many bytes.
template <class Heap, class Visit>
[[nodiscard]] ordering put_in_order(Heap& heap, Visit& visit, std::size_t step_bytes) {
    ordering all;
    const stopwatch clock;
    for (bool finished = false; !finished;) {
        const stopwatch one;
        const compaction_step done = heap.step(visit, budget{.bytes = step_bytes});
        all.steps.push_back(one.nanoseconds());
        all.moves += done.moves;
        finished = done.why != compaction_step::end::budget_spent;
    }
    all.nanoseconds = clock.nanoseconds();
    return all;
}

} // namespace arenite::lab
