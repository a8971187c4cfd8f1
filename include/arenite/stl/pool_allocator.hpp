// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>
#include <arenite/core/detail/size.hpp>
#include <arenite/core/error.hpp>
#include <arenite/stl/container_pool.hpp>
#include <arenite/stl/detail/container_heap.hpp>
#include <arenite/stl/detail/container_source.hpp>

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace arenite {
inline namespace ARENITE_ABI {

/// Gives a container a pool of its own.
///
///     std::list<int, pool_allocator<int>> l;
///     std::set<int, std::less<>, pool_allocator<int, 16 * 1024>> s;     // 16384 are expected
///     std::list<int, pool_allocator<int>> m{cp};                        // a container_pool's
///
///     a few nodes  | nodes of all small containers of the thread |    shared, no pool of its own
///     64 KiB       | the container's own blocks | ...                     in order, freed with it
///     free(p)      p -> its block -> its pool, from any thread
///
/// Nodes lie side by side in the order in which they were made, without headers. A small container
/// takes its nodes from memory shared by all small containers of the thread; from 64 KiB on it has
/// a pool of its own, which is freed with the container. With an N the pool is made for N elements
/// at once, by one request to the upstream, and grows beyond that as usual.
///
/// Use when:  a standard container of nodes is filled, changed and traversed: list, forward_list,
///            set, map, the unordered ones. Also correct, but of less use, for deque and vector.
/// Cost:      allocate and deallocate O(1), inlined, as pool_resource. Default construction, copies
///            and rebinds: nothing.
/// Overhead:  8 bytes a container; 0 bytes a node, 1.3 % for bits and colours; 1.5 KiB a container
///            above 64 KiB; 16 bytes an array above 1 KiB.
/// Limits:    arrays and single objects above 1 KiB, or aligned to more than 64 bytes, come from
///            one locked heap shared by all containers. libc++ 22 makes each node of a list and of
///            a forward_list by a copy of the allocator: these have no pool of their own there, and
///            take a container_pool's, or what the thread's small containers share.
/// Returns:   empty memory beyond a quarter of what is in use goes back to page_source(), so an
///            emptied container keeps less than 1 MiB; with the container everything. See
///            container_pool for trim().
/// Threads:   a container is used by one thread at a time and may be passed on at any time. What
///            one thread allocates may be freed by another.
/// Failure:   out_of_memory; std::bad_array_new_length if a count's size does not fit.
/// Source:    Shyrobo, Allocator.
///
/// Every free finds its pool by the address, so all allocators are equal, and nodes may move from
/// any container to any other: splice, merge, node handles, swap.
/// - Move and swap take the pool along. A moved-from container starts anew, so the two may go to
///   different threads.
/// - A copy of an allocator, or one for another type, has no pool until it allocates: a copied
///   container is independent. Only a container_pool is copied with the allocator, though not by
///   copying a container.
/// - A pool whose container is gone lives on until the last node that moved elsewhere is freed.
///   Freeing such a node costs a lock, 5 to 10 ns.
template <class T = std::byte, std::size_t N = 0>
class pool_allocator {
    static_assert(std::is_object_v<T> && std::same_as<T, std::remove_cv_t<T>>,
                  "an allocator is for a type of objects, without const or volatile");

public:
    using value_type = T;
    using size_type = std::size_t;
    using difference_type = std::ptrdiff_t;
    using propagate_on_container_copy_assignment = std::false_type;
    using propagate_on_container_move_assignment = std::true_type;
    using propagate_on_container_swap = std::true_type;
    using is_always_equal = std::true_type;

    template <class U>
    struct rebind {
        using other = pool_allocator<U, N>;
    };

    /// A pool of its own, made when it is needed.
    constexpr pool_allocator() noexcept = default;

    /// Memory comes from `pool`, which must outlive all that is allocated.
    // NOLINTNEXTLINE(google-explicit-constructor): so that a container takes the pool itself
    pool_allocator(container_pool& pool) noexcept : source_{pool} {}
    pool_allocator(const container_pool&&) = delete; // a temporary would be gone too early

    pool_allocator(const pool_allocator&) noexcept = default;
    pool_allocator(pool_allocator&&) noexcept = default;
    pool_allocator& operator=(const pool_allocator&) noexcept = default;
    pool_allocator& operator=(pool_allocator&&) noexcept = default;
    ~pool_allocator() = default;

    /// For another element type: with the same container_pool, or with no pool yet.
    template <class U>
    // NOLINTNEXTLINE(google-explicit-constructor)
    pool_allocator(const pool_allocator<U, N>& other) noexcept : source_{other.source_} {}

    [[nodiscard]] ARENITE_INLINE T* allocate(std::size_t n) {
        if constexpr (detail::in_container_slot(sizeof(T), alignof(T))) {
            if (n == 1) [[likely]] {
                void* const p = source_.template try_allocate_slot<sizeof(T), N>();
                if (p == nullptr) [[unlikely]]
                    throw_out_of_memory(sizeof(T), alignof(T), nullptr, "a pool_allocator");
                return static_cast<T*>(p);
            }
        }
        return static_cast<T*>(allocate_array(n));
    }

    ARENITE_INLINE void deallocate(T* p, std::size_t n) noexcept {
        if constexpr (detail::in_container_slot(sizeof(T), alignof(T))) {
            if (n == 1) [[likely]]
                return source_.template deallocate_slot<sizeof(T)>(p);
        }
        detail::container_source::deallocate_array(p, n * sizeof(T), alignof(T));
    }

    /// A copied container starts without a pool.
    [[nodiscard]] pool_allocator select_on_container_copy_construction() const noexcept {
        return {};
    }

    /// The container_pool it was made from; nullptr if the container has its own pool.
    [[nodiscard]] container_pool* pool() const noexcept { return source_.pool(); }

private:
    template <class, std::size_t>
    friend class pool_allocator;

    ARENITE_NOINLINE void* allocate_array(std::size_t n) {
        if (n > detail::max_object_bytes / sizeof(T)) [[unlikely]]
            throw_bad_array_length(n, sizeof(T));
        void* const p = source_.try_allocate_array(n * sizeof(T), alignof(T));
        if (p == nullptr) [[unlikely]]
            throw_out_of_memory(n * sizeof(T), alignof(T), nullptr, "a pool_allocator");
        return p;
    }

    detail::container_source source_;
};

/// All are equal: each can free what any other allocated.
template <class T, class U, std::size_t N, std::size_t M>
[[nodiscard]] constexpr bool operator==(const pool_allocator<T, N>&,
                                        const pool_allocator<U, M>&) noexcept {
    return true;
}

} // namespace ARENITE_ABI
} // namespace arenite
