// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/block/return_policy.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/region.hpp>
#include <arenite/core/upstream.hpp>
#include <arenite/core/usage.hpp>
#include <arenite/os/page_resource.hpp>
#include <arenite/stl/detail/container_arrays.hpp>
#include <arenite/stl/detail/container_heap.hpp>
#include <arenite/stl/detail/node_region.hpp>

#include <atomic>
#include <cstddef>
#include <span>

namespace arenite {
inline namespace ARENITE_ABI {

namespace detail {
class container_source;
} // namespace detail

/// A pool that several containers share, with usage and trim().
///
///     container_pool cp;
///     std::list<int, pool_allocator<int>> a{cp}, b{cp};
///     a.splice(a.end(), b);                               // and everything else
///     cp.usage().bytes_in_use;  cp.trim();
///     container_pool level{buffer};                       // memory of yours: 8 KiB to 16 MiB
///
///     16 B  | block |......|      24 B  | block | block |....|      arrays  | ordered_heap |
///           one pool for each size of nodes and each thread         above 1 KiB
///
/// Each of 16 threads takes nodes from pools of its own, so that no line of the cache holds nodes
/// that two of them allocated; a node goes back to its pool, whichever thread frees it.
///
/// Use when:  the memory of several containers is to be measured, trimmed, taken from an upstream
///            of yours, or shared since each has few elements. A single container needs none: see
///            pool_allocator.
/// Cost:      that of a pool plus an uncontended lock, 5 to 10 ns.
/// Overhead:  that of pool_resource for each node size and thread, of some 16 threads: further ones
///            share with them, as do all where there is no more memory; 16 bytes an array. Of a
///            buffer of 64 KiB or more at least 85 % is nodes, where they are of one size of up to
///            240 bytes; of 1 KiB at least 40 %, by its address, and 85 % from 1 MiB on.
/// Limits:    must outlive all that its containers hold, wherever that was moved to. It requests
///            memory from its upstream at multiples of 256 KiB; from a buffer in blocks of a 32nd
///            of it, 1 KiB or more, while each node size and thread has 1.5 KiB from page_source().
///            A node serves the thread that allocated it again, or one that began after that has
///            ended. At most 256 pools on buffers at a time (one more is a contract violation),
///            which cost every free of a node a look through them.
/// Returns:   empty spans by the policy; trim() returns all unused memory; destruction everything.
/// Threads:   any, except for construction and destruction: containers of several threads may share
///            it.
/// Failure:   out_of_memory from the container; nothing changes.
/// Source:    Shyrobo, Allocator.
class container_pool {
public:
    container_pool() noexcept : container_pool{upstream{&page_source()}} {}
    explicit container_pool(upstream up) noexcept : container_pool{return_policy{}, up} {}
    explicit container_pool(return_policy policy) noexcept
        : container_pool{policy, upstream{&page_source()}} {}
    container_pool(return_policy policy, upstream up) noexcept;
    /// Takes memory from this buffer, which must outlive the pool. Before a request fails, all that
    /// is unused goes back into it, as by trim(). More than 16 MiB are a contract violation.
    explicit container_pool(std::span<std::byte> buffer) noexcept;
    ~container_pool();

    container_pool(const container_pool&) = delete;
    container_pool& operator=(const container_pool&) = delete;

    /// Returns all unused memory to the upstream. O(blocks + slots / 64).
    void trim() noexcept;

    /// Memory of its containers and its own, nodes and arrays. live_allocations is exact; the
    /// high-water mark is the sum of those of its parts, each at its own time. O(node sizes).
    [[nodiscard]] arenite::usage usage() const noexcept;

    /// True if p points into memory of this pool, allocated or not. O(node sizes * log blocks).
    [[nodiscard]] bool owns(const void* p) const noexcept;

    /// Lists its memory, pool by pool. O(slots).
    void list_regions(region_sink& sink) const;

private:
    friend class detail::container_source;

    [[nodiscard]] void* try_allocate_slot(std::size_t kind, std::size_t expected) noexcept;
    ARENITE_NOINLINE void* allocate_slot_slow(std::size_t kind, std::size_t expected) noexcept;
    [[nodiscard]] void* try_allocate_array(std::size_t bytes, std::size_t alignment) noexcept {
        void* const p = arrays_.try_allocate(bytes, alignment);
        return p != nullptr ? p : allocate_array_slow(bytes, alignment);
    }
    ARENITE_COLD void* allocate_array_slow(std::size_t bytes, std::size_t alignment) noexcept;
    /// Heaps for slots of one size at most: that many threads have their own.
    static constexpr std::size_t most_threads = 16;

    template <class F>
    void for_each_heap(F f) const;
    [[nodiscard]] detail::container_heap* make_heap(std::size_t kind,
                                                    std::size_t expected) const noexcept;
    [[nodiscard]] detail::container_heap& heap_of_thread(detail::container_heap& first,
                                                         std::size_t kind,
                                                         std::size_t expected) const noexcept;

    detail::node_region region_;
    upstream upstream_;
    return_policy policy_;
    std::atomic<detail::container_heap*> heaps_[detail::container_slot_kinds] = {};
    detail::container_arrays arrays_;
};

} // namespace ARENITE_ABI
} // namespace arenite
