// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/affinity/affinity_heap.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/detail/size.hpp>
#include <arenite/core/error.hpp>
#include <arenite/core/resource_base.hpp>

#include <concepts>
#include <cstddef>
#include <type_traits>

namespace arenite {
inline namespace ARENITE_ABI {

/// Puts a standard container into the memory of an affinity: children beside their nodes.
///
///     class Group : public affine<affinities::nodes> {
///         std::vector<intrusive_ptr<Group>, affinity_allocator<intrusive_ptr<Group>,
///                                                              affinities::nodes>> children_;
///     };
///
/// Use when:  the contents of a container are traversed together with objects of an affinity. T may
///            be incomplete where the container is declared.
/// Cost:      that of affinity_heap, without a virtual call.
/// Overhead:  0 bytes a container.
/// Limits:    those of affinity_heap.
/// Threads:   any; containers may be passed from thread to thread.
/// Failure:   out_of_memory; std::bad_array_new_length if a count's size does not fit.
///
/// All are equal, so moving, swapping and splicing work as with std::allocator.
template <class T, AffinityTag A>
class affinity_allocator {
    static_assert(std::same_as<T, std::remove_cv_t<T>>, "an allocator is for a type of objects");

public:
    using value_type = T;
    using size_type = std::size_t;
    using difference_type = std::ptrdiff_t;
    using propagate_on_container_copy_assignment = std::true_type;
    using propagate_on_container_move_assignment = std::true_type;
    using propagate_on_container_swap = std::true_type;
    using is_always_equal = std::true_type;

    template <class U>
    struct rebind {
        using other = affinity_allocator<U, A>;
    };

    constexpr affinity_allocator() noexcept = default;
    template <class U>
    // NOLINTNEXTLINE(google-explicit-constructor): as every allocator is rebound
    constexpr affinity_allocator(const affinity_allocator<U, A>&) noexcept {}

    [[nodiscard]] ARENITE_INLINE T* allocate(std::size_t n) {
        if (n > detail::max_object_bytes / sizeof(T)) [[unlikely]]
            throw_bad_array_length(n, sizeof(T));
        void* const p = affinity_heap::try_allocate_in<A>(n * sizeof(T), alignof(T));
        if (p == nullptr) [[unlikely]]
            detail::refuse(affinity_heap::of<A>(), n * sizeof(T), alignof(T));
        return static_cast<T*>(p);
    }

    ARENITE_INLINE void deallocate(T* p, std::size_t n) noexcept {
        affinity_heap::deallocate_in<A>(p, n * sizeof(T), alignof(T));
    }

    template <class U>
    [[nodiscard]] friend constexpr bool operator==(const affinity_allocator&,
                                                   const affinity_allocator<U, A>&) noexcept {
        return true;
    }
};

} // namespace ARENITE_ABI
} // namespace arenite
