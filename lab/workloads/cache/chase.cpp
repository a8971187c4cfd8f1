// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include "chase.hpp"

#include "../../probes/opaque.hpp"
#include "../../probes/random.hpp"
#include "../../probes/reserved.hpp"

#include <new>
#include <numeric>

namespace arenite::lab {

node_ring::node_ring(void* memory, std::size_t bytes, std::size_t node_bytes, bool shuffled)
    : count_{bytes / node_bytes} {
    auto* const begin = static_cast<std::byte*>(memory);
    const auto place = [&](std::size_t i) -> void* { return begin + i * node_bytes; };
    if (shuffled) {
        reserved<std::uint32_t> order(count_);
        std::iota(order.begin(), order.end(), 0U);
        random_source{1}.shuffle(order);
        for (std::size_t k = 0; k < count_; ++k)
            ::new (place(order[k])) node{static_cast<node*>(place(order[(k + 1) % count_]))};
    } else {
        for (std::size_t i = 0; i < count_; ++i)
            ::new (place(i)) node{static_cast<node*>(place((i + 1) % count_))};
    }
    at_ = static_cast<node*>(memory);
}

void node_ring::follow(std::size_t steps) noexcept {
    node* n = at_;
    for (; steps >= 8; steps -= 8)
        n = n->next->next->next->next->next->next->next->next;
    for (; steps != 0; --steps)
        n = n->next;
    opaque(n);
    at_ = n;
}

std::size_t node_ring::count_round() const noexcept {
    std::size_t count = 1;
    for (const node* n = at_->next; n != at_ && count <= count_; n = n->next)
        ++count;
    return count;
}

} // namespace arenite::lab
