// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>
#include <arenite/core/upstream.hpp>

#include <cstddef>
#include <cstdint>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// A stretch of an offset_space: a hole or an allocation. Stored outside the memory that it
/// describes.
///
///     place   | generation 16 | position in granules 48 |
///     extent  |                  granules 63 | in use 1 |     0: the node stands for nothing
///     before, behind          the stretches beside it in its block, of any state
///     note    a hole: its neighbours in its bin; in use: alignment and flags
struct offset_node {
    using index = std::uint32_t;
    static constexpr index none = 0xFFFF'FFFF;
    static constexpr unsigned position_bits = 48;
    static constexpr std::uint64_t position_mask = (std::uint64_t{1} << position_bits) - 1;

    std::uint64_t place;
    std::uint64_t extent;
    index before;
    index behind;
    struct bin_links {
        index previous;
        index next;
    };
    union {
        std::uint64_t note;
        bin_links bin;
    };

    // In a note: the alignment in granules below bit 56, then these.
    static constexpr std::uint64_t optimal = std::uint64_t{1} << 56;     ///< the request's kind
    static constexpr std::uint64_t pinned = std::uint64_t{1} << 57;      ///< may not move
    static constexpr std::uint64_t source = std::uint64_t{1} << 58;      ///< of a move that is open
    static constexpr std::uint64_t destination = std::uint64_t{1} << 59; ///< of such a move
    static constexpr std::uint64_t alignment_mask = optimal - 1;

    [[nodiscard]] std::uint64_t position() const noexcept { return place & position_mask; }
    [[nodiscard]] std::uint16_t generation() const noexcept {
        return static_cast<std::uint16_t>(place >> position_bits);
    }
    [[nodiscard]] std::uint64_t granules() const noexcept { return extent >> 1; }
    [[nodiscard]] std::uint64_t end() const noexcept { return position() + granules(); }
    [[nodiscard]] bool in_use() const noexcept { return (extent & 1) != 0; }
    [[nodiscard]] bool is_hole() const noexcept { return extent != 0 && !in_use(); }
    [[nodiscard]] bool has(std::uint64_t flag) const noexcept { return (note & flag) != 0; }

    void set_position(std::uint64_t p) noexcept { place = (place & ~position_mask) | p; }
    void next_generation() noexcept { place += position_mask + 1; }
    void set_hole(std::uint64_t n) noexcept { extent = n << 1; }
    void set_used(std::uint64_t n) noexcept { extent = n << 1 | 1; }
};

static_assert(sizeof(offset_node) == 32);

/// The nodes of an offset_space: an array that grows, and a list of unused ones.
///
/// A node has 65,535 generations. When they are used up, it must serve no further allocation: a
/// caller that finds it so (is_used_up) takes another one, and when returned it is retired.
///
/// Cost:      take and give O(1); reserve copies the array when it grows, by an eighth each time.
/// Overhead:  32 bytes per node, 8 more with user data; including retired ones.
/// Limits:    2^32 - 1 nodes, of which one is retired per 65,535 frees.
/// Failure:   false from reserve(); nothing changes.
class offset_nodes {
public:
    using index = offset_node::index;
    static constexpr index none = offset_node::none;

    offset_nodes(upstream memory, bool with_data) noexcept;
    offset_nodes(const offset_nodes&) = delete;
    offset_nodes& operator=(const offset_nodes&) = delete;
    ~offset_nodes();

    [[nodiscard]] offset_node& operator[](index i) noexcept { return nodes_[i]; }
    [[nodiscard]] const offset_node& operator[](index i) const noexcept { return nodes_[i]; }

    /// True if `count` nodes may be taken from now on.
    [[nodiscard]] bool reserve(std::size_t count) noexcept {
        return spare_ >= count || grow(count);
    }

    /// Takes an unused one. Requires reserve().
    [[nodiscard]] index take() noexcept {
        --spare_;
        if (vacant_ == none)
            return made_node();
        const index i = vacant_;
        vacant_ = nodes_[i].bin.next;
        return i;
    }

    /// It has no generation left for an allocation.
    [[nodiscard]] bool is_used_up(const offset_node& n) const noexcept {
        return n.generation() == used_up_;
    }

    void give(index i) noexcept {
        nodes_[i].extent = 0;
        if (is_used_up(nodes_[i])) [[unlikely]] {
            ++retired_;
            return;
        }
        ++spare_;
        nodes_[i].bin.next = vacant_;
        vacant_ = i;
    }

    /// All become unused; those in use get a new generation.
    void clear() noexcept;

    /// Nodes that were ever in use: indices below it are valid.
    [[nodiscard]] index made() const noexcept { return made_; }
    /// Nodes in use.
    [[nodiscard]] std::size_t in_use() const noexcept { return room_ - spare_ - retired_; }
    [[nodiscard]] std::size_t bytes() const noexcept { return room_ * node_bytes(); }
    [[nodiscard]] upstream memory() const noexcept { return memory_; }

    /// The user data of a node. 0, and nothing is stored, if it was not requested.
    [[nodiscard]] std::uint64_t data(index i) const noexcept {
        return data_ == nullptr ? 0 : data_[i];
    }
    void set_data(index i, std::uint64_t value) noexcept {
        if (data_ != nullptr)
            data_[i] = value;
    }

private:
    [[nodiscard]] index made_node() noexcept;
    ARENITE_COLD bool grow(std::size_t count) noexcept;
    [[nodiscard]] std::size_t node_bytes() const noexcept {
        return sizeof(offset_node) + (with_data_ ? sizeof(std::uint64_t) : 0);
    }

    offset_node* nodes_ = nullptr;
    std::uint64_t* data_ = nullptr; ///< behind the nodes, in the same memory
    std::size_t room_ = 0;
    std::size_t spare_ = 0;
    std::size_t retired_ = 0;
    index made_ = 0;
    index vacant_ = none;
    upstream memory_;
    std::uint16_t first_generation_;
    std::uint16_t used_up_; ///< the generation behind the last
    bool with_data_;
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
