// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/alignment.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/detail/spin_lock.hpp>
#include <arenite/core/resource_base.hpp>
#include <arenite/os/detail/fork_lock.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// Memory of the user's for a container_pool, lent in blocks that are small beside it, and the way
/// from a node in it to its block.
///
///     process   | region | region |            a word each: where it begins, how long it is
///     region    | 12 | 12 | 11 | 0 |...    a byte a unit: log2 of its block's alignment; 0: free
///     memory    | block   | blo|   |   |       the block begins at the node's address, cut to that
///
/// Elsewhere blocks lie at multiples of 256 KiB, and one mask leads to them. A region of 64 KiB has
/// none of these: its blocks have a 32nd of it, and the mask is looked up. As long as there is no
/// region in the process, one load tells so.
///
/// Use when:  for container_pool alone.
/// Cost:      try_allocate O(units), of which there are 128 at most; deallocate O(its units);
///            mask_around O(regions of the process).
/// Overhead:  below a unit, a 64th of the memory, at each end.
/// Limits:    16 MiB a region; 256 regions in the process, where one too many is a contract
///            violation.
/// Threads:   any, except for construction and destruction.
/// Failure:   nullptr; nothing changes.
class node_region final : public resource_base<node_region> {
public:
    static constexpr bool is_concurrent = true;
    static constexpr std::size_t most_bytes = std::size_t{16} << 20;
    static constexpr std::size_t most_regions = 256;

    /// No memory: is_open() is false.
    node_region() noexcept = default;
    explicit node_region(std::span<std::byte> memory) noexcept;
    ~node_region() override;

    [[nodiscard]] bool is_open() const noexcept { return units_ != 0; }

    /// Power of two that blocks of nodes should have here, and be aligned to.
    [[nodiscard]] std::size_t block_bytes() const noexcept { return unit_bytes() * units_a_block; }

    /// `alignment` is a power of two, which mask_around() tells of all addresses in it.
    [[nodiscard]] void* try_allocate(std::size_t bytes,
                                     std::size_t alignment = default_alignment) noexcept;
    void deallocate(void* p, std::size_t bytes, std::size_t alignment = default_alignment) noexcept;

    /// True if there may be a region around some address.
    [[nodiscard]] ARENITE_INLINE static bool any() noexcept {
        return looked_through.load(std::memory_order_relaxed) != 0;
    }

    /// The alignment of the block of a region that p lies in; 0: p lies in none.
    [[nodiscard]] static std::size_t mask_around(const void* p) noexcept;

private:
    static constexpr std::size_t most_units = 128;
    static constexpr std::size_t units_a_block = 2;
    static constexpr std::size_t blocks_of_a_region = 32; ///< to 64
    static constexpr std::size_t least_block_bytes = std::size_t{1} << 10;
    static constexpr std::size_t most_block_bytes = std::size_t{256} << 10;

    [[nodiscard]] std::size_t unit_bytes() const noexcept { return std::size_t{1} << unit_shift_; }
    [[nodiscard]] std::size_t units_of(std::size_t bytes) const noexcept {
        return (bytes + unit_bytes() - 1) >> unit_shift_;
    }
    [[nodiscard]] bool is_free(std::size_t first, std::size_t count) const noexcept;
    void set(std::size_t first, std::size_t count, unsigned char shift) noexcept;

    /// Words of all regions that there ever were at once: so many are looked through.
    static std::atomic<std::size_t> looked_through;

    std::uintptr_t begin_ = 0; ///< a multiple of a unit
    std::size_t units_ = 0;
    unsigned unit_shift_ = 9;
    std::size_t number_ = 0; ///< among those of the process
    fork_lock<spin_lock> lock_;
    std::atomic<unsigned char> shifts_[most_units] = {};
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
