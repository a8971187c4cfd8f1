// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../plan.hpp"

#include <arenite/core/alignment.hpp>
#include <arenite/core/detail/spin_lock.hpp>
#include <arenite/core/resource_base.hpp>
#include <arenite/linear/linear_resource.hpp>
#include <arenite/ordered/ordered_heap.hpp>
#include <arenite/pool/pool_resource.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace arenite::prove {

/// Spans from one range of addresses, so that an address alone tells whose it is. What comes back
/// is given to the system, and lent again where it fits.
class range_resource final : public resource_base<range_resource> {
public:
    void begin(std::byte* at, std::size_t bytes) noexcept {
        at_ = at;
        end_ = at + bytes;
    }
    [[nodiscard]] void* try_allocate(std::size_t bytes,
                                     std::size_t alignment = default_alignment) noexcept;
    void deallocate(void* p, std::size_t bytes, std::size_t alignment = default_alignment) noexcept;

private:
    struct span {
        std::byte* at;
        std::size_t bytes;
    };
    std::byte *at_ = nullptr, *end_ = nullptr;
    std::array<span, 256> spare_{};
    std::size_t spares_ = 0;
};

/// The heaps of a plan. Each group has a range of addresses; of pools each size has a part of it.
///
///     | group 1: 64 GiB | group 2 | ...          pools: | 16 B: 1 GiB | 32 B | ... | 1 KiB |
///
/// Use when:  frees and sizes are asked for by address alone, from any thread.
/// Threads:   any; a lock a group.
/// Failure:   null, and the caller asks malloc.
class heaps {
public:
    /// Reserves the addresses; false where the system refuses them.
    [[nodiscard]] bool start(plan& of) noexcept;

    [[nodiscard]] bool owns(const void* p) const noexcept {
        return static_cast<std::size_t>(static_cast<const std::byte*>(p) - base_) < bytes_;
    }
    [[nodiscard]] void* allocate(std::uint32_t group, std::size_t bytes,
                                 std::size_t alignment) noexcept;
    void deallocate(void* p) noexcept;
    [[nodiscard]] std::size_t size_of(const void* p) noexcept;

    // Around a fork: no other thread is within a heap.
    void lock_all() noexcept;
    void unlock_all() noexcept;

private:
    static constexpr std::size_t group_bytes = std::size_t{64} << 30;
    static constexpr std::size_t pool_step = 16, pools = 64, pool_bytes = group_bytes / pools;

    struct group {
        detail::spin_lock lock; ///< taken at each event: it makes no call of the system
        heap_kind kind = heap_kind::none;
        std::optional<ordered_heap> ordered;
        std::optional<linear_resource> linear;
        std::array<std::optional<pool_resource>, pools> pool;
        std::array<range_resource, pools> range; ///< the first alone, but for pools
        std::size_t live = 0;
    };

    [[nodiscard]] std::size_t group_of(const void* p) const noexcept {
        return static_cast<std::size_t>(static_cast<const std::byte*>(p) - base_) / group_bytes;
    }
    [[nodiscard]] static void* from_linear(group& g, std::size_t bytes, std::size_t align) noexcept;

    std::byte* base_ = nullptr;
    std::size_t bytes_ = 0;
    plan* plan_ = nullptr;
    std::array<group, most_groups> groups_;
};

} // namespace arenite::prove
