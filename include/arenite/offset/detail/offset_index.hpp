// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>
#include <arenite/core/upstream.hpp>
#include <arenite/offset/offset_allocation.hpp>

#include <cstddef>
#include <cstdint>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// From where a part begins to the rest of its handle: a hash table without tombstones.
///
///     cells   | - | 4096: node 7 | 65536: node 2 | - | ...     a power of two, at most 3/4 in use
///              an offset is looked for from its hash on, up to the first empty cell
///
/// Invariant: between the cell of an offset's hash and the cell that it lies in none is empty.
///
/// Cost:      find, add and remove O(1) expected; reserve O(cells) where the table grows.
/// Overhead:  16 bytes a cell, so 21 to 43 bytes an offset.
/// Failure:   reserve returns false; nothing changes.
class offset_index {
public:
    explicit offset_index(upstream memory) noexcept : memory_{memory} {}
    offset_index(const offset_index&) = delete;
    offset_index& operator=(const offset_index&) = delete;
    ~offset_index();

    /// Room for one more offset.
    [[nodiscard]] bool reserve() noexcept { return (count_ + 1) * 4 <= capacity() * 3 || grow(); }

    /// Requires reserve(), and that the offset is not in it.
    void add(const offset_allocation& a) noexcept;

    /// The handle of what begins there and has so many bytes by the caller's word; its node is
    /// offset_allocation::no_node where nothing begins.
    [[nodiscard]] offset_allocation find(std::uint64_t offset, std::uint64_t bytes) const noexcept;

    /// Requires that the offset is in it.
    void remove(std::uint64_t offset) noexcept;

    void clear() noexcept;

    [[nodiscard]] std::size_t count() const noexcept { return count_; }
    [[nodiscard]] std::size_t bytes() const noexcept { return capacity() * sizeof(cell); }

private:
    struct cell {
        std::uint64_t offset;
        std::uint32_t node; ///< no_node: empty
        std::uint16_t generation;
    };
    static constexpr std::size_t fewest_cells = 64;

    [[nodiscard]] std::size_t capacity() const noexcept {
        return cells_ != nullptr ? mask_ + 1 : 0;
    }
    [[nodiscard]] std::size_t home_of(std::uint64_t offset) const noexcept {
        // Offsets are multiples of alignments: the product's upper bits depend on all of them.
        return static_cast<std::size_t>(offset * 0x9E37'79B9'7F4A'7C15u >> 32) & mask_;
    }
    [[nodiscard]] std::size_t cell_of(std::uint64_t offset) const noexcept;
    void put(const cell& c) noexcept;
    ARENITE_COLD bool grow() noexcept;

    cell* cells_ = nullptr;
    std::size_t mask_ = 0; ///< cells - 1
    std::size_t count_ = 0;
    upstream memory_;
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
