// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

namespace arenite::lab {

/// The nodes of Kaltenbrunn's listing 3.1 in one piece of memory: a pointer to the next, and
/// padding. A ring, so that it can be followed for as long as one likes.
class node_ring {
public:
    /// So many nodes of `node_bytes` (a multiple of 8) as `bytes` hold; each is followed by its
    /// neighbour, or in random order. `memory` is aligned as a pointer.
    node_ring(void* memory, std::size_t bytes, std::size_t node_bytes, bool shuffled);

    [[nodiscard]] std::size_t size() const noexcept { return count_; }

    /// Follows so many pointers, from where the last call has ended.
    void follow(std::size_t steps) noexcept;

    /// Number of nodes that one round visits: all of them, or the ring is broken.
    [[nodiscard]] std::size_t count_round() const noexcept;

private:
    struct node {
        node* next;
    };

    std::size_t count_;
    node* at_;
};

} // namespace arenite::lab
