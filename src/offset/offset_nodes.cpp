// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// The nodes of an offset allocator: one array, with the users' words behind it. Growing copies it,
// so that an index stays valid and the address of a node does not. clear() runs downward: the list
// of vacant nodes then begins with the lowest. Users' words lie apart from the nodes so that those
// that don't ask for them have two nodes in a line of the cache.
#include <arenite/offset/detail/offset_nodes.hpp>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <new>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

namespace {

constexpr std::size_t most_nodes = offset_node::none;
constexpr std::size_t first_room = 64;

/// Each allocator begins elsewhere: what is of one is seldom taken for another's.
std::uint16_t some_generation() noexcept {
    static std::atomic<std::uint32_t> made{0};
    return static_cast<std::uint16_t>(made.fetch_add(0x9E37, std::memory_order_relaxed) + 0x4A7D);
}

} // namespace

offset_nodes::offset_nodes(upstream memory, bool with_data) noexcept
    : memory_{memory}, first_generation_{some_generation()},
      used_up_{static_cast<std::uint16_t>(first_generation_ - 1)}, with_data_{with_data} {}

offset_nodes::~offset_nodes() {
    if (nodes_ != nullptr)
        memory_.deallocate(nodes_, bytes(), alignof(offset_node));
}

/// Nodes are constructed when they are first taken: memory of the array that was never needed stays
/// untouched.
offset_nodes::index offset_nodes::made_node() noexcept {
    ::new (static_cast<void*>(nodes_ + made_)) offset_node;
    nodes_[made_].place = std::uint64_t{first_generation_} << offset_node::position_bits;
    nodes_[made_].extent = 0;
    return made_++;
}

bool offset_nodes::grow(std::size_t count) noexcept {
    const std::size_t taken = room_ - spare_; // retired ones too
    if (count > most_nodes - taken)
        return false;
    const std::size_t needed = taken + count;
    // An eighth each time: nodes are the main cost of an allocator, and doubling would leave up to
    // half of them unused.
    const std::size_t room =
        std::min(most_nodes, std::max({needed, room_ + room_ / 8, first_room}));
    void* const fresh = memory_.try_allocate(room * node_bytes(), alignof(offset_node));
    if (fresh == nullptr)
        return false;
    auto* const nodes = static_cast<offset_node*>(fresh);
    auto* const data = reinterpret_cast<std::uint64_t*>(nodes + room);
    if (nodes_ != nullptr) {
        std::memcpy(fresh, nodes_, made_ * sizeof(offset_node));
        if (with_data_)
            std::memcpy(data, data_, made_ * sizeof(std::uint64_t));
        memory_.deallocate(nodes_, bytes(), alignof(offset_node));
    }
    nodes_ = nodes;
    data_ = with_data_ ? data : nullptr;
    spare_ += room - room_;
    room_ = room;
    return true;
}

void offset_nodes::clear() noexcept {
    vacant_ = none;
    spare_ = room_ - made_;
    retired_ = 0;
    for (index i = made_; i-- != 0;) {
        if (nodes_[i].in_use())
            // Handles from before clear() are stale from now on, like those of freed parts.
            nodes_[i].next_generation();
        give(i);
    }
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
