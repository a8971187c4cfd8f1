// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/concepts.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/contract.hpp>
#include <arenite/core/detail/size.hpp>
#include <arenite/core/error.hpp>
#include <arenite/core/literals.hpp>
#include <arenite/core/resource.hpp>

#include <concepts>
#include <cstddef>
#include <memory>
#include <type_traits>

namespace arenite {
inline namespace ARENITE_ABI {

namespace detail {

struct this_resource_is_not_the_one_that_the_container_names {};

#if defined(__cpp_lib_allocate_at_least)
using std::allocation_result;
#else
/// C++23's std::allocation_result.
template <class Pointer>
struct allocation_result {
    Pointer ptr;
    std::size_t count;
};
#endif

} // namespace detail

/// Lets a container take its memory from a resource.
///
///     linear_resource a{1_MiB};
///     std::vector<int, resource_allocator<int, linear_resource>> v{a};
///
/// Use when:  a container should use one of our resources. With a concrete R each allocation is a
///            direct call and inlines; with R = `resource` it is virtual, and accepts any resource
///            at run time (as std::pmr::polymorphic_allocator, which works with all of them, too).
/// Cost:      that of the resource.
/// Overhead:  one pointer a container.
/// Limits:    the resource must outlive the container; a temporary does not compile. There is no
///            default: a container must be given its resource. Elements are constructed as with
///            std::allocator; for containers in containers use std::scoped_allocator_adaptor.
/// Threads:   those of the resource.
/// Failure:   what the resource throws; std::bad_array_new_length if a count's size does not fit.
///
/// The resource, when one container is assigned to another:
/// - Copying a container: the copy uses the same resource; no other could be meant.
/// - Copy assignment keeps the target's resource: a container's memory stays where it was placed.
/// - Move assignment also keeps it, and moves the elements one by one if the two differ. If the
///   resource moved along, `longlived = std::move(temporary)` would leave a container in an arena
///   that ends before it does. Within one resource it is O(1), as always.
/// - Swap exchanges the resources with the contents: O(1), and defined in every case. The standard
///   leaves it undefined for unequal allocators that do not propagate.
template <class T = std::byte, class R = resource>
class resource_allocator {
    static_assert(std::is_object_v<T> && std::same_as<T, std::remove_cv_t<T>>,
                  "an allocator is for a type of objects, without const or volatile");

public:
    using value_type = T;
    using size_type = std::size_t;
    using difference_type = std::ptrdiff_t;
    using propagate_on_container_copy_assignment = std::false_type;
    using propagate_on_container_move_assignment = std::false_type;
    using propagate_on_container_swap = std::true_type;
    using is_always_equal = std::false_type;

    template <class U>
    struct rebind {
        using other = resource_allocator<U, R>;
    };

    /// Memory comes from r, which must outlive all that is allocated.
    // NOLINTNEXTLINE(google-explicit-constructor): so that a container takes the resource itself
    resource_allocator(R& r) noexcept : resource_{&r} {}
    resource_allocator(const R&&) = delete; // a temporary would be gone before the container

    /// By pointer, as in std::pmr; must not be nullptr.
    template <class S>
        requires std::convertible_to<S*, R*>
    // NOLINTNEXTLINE(google-explicit-constructor): as std::pmr has it
    resource_allocator(S* source) noexcept : resource_{source} {
        ARENITE_ASSERT(source != nullptr, "a resource_allocator needs a resource, not nullptr");
    }

    /// From anything that converts to an R&, such as an inline_linear_resource.
    template <class S>
        requires(!std::same_as<S, R> && std::derived_from<S, arenite::resource> &&
                 std::convertible_to<S&, R&>)
    // NOLINTNEXTLINE(google-explicit-constructor): as std::pmr has it
    resource_allocator(S& source) noexcept : resource_{&static_cast<R&>(source)} {}
    template <class S>
        requires(!std::same_as<S, R> && std::derived_from<S, arenite::resource> &&
                 std::convertible_to<S&, R&>)
    resource_allocator(const S&&) = delete;

    // Any other resource is refused; the compiler's message names it, and this parameter's type
    // says why.
    template <class S>
        requires(std::derived_from<S, arenite::resource> && !std::convertible_to<S&, R&>)
    resource_allocator(S&,
                       detail::this_resource_is_not_the_one_that_the_container_names = {}) = delete;
    template <class S>
        requires(std::derived_from<S, arenite::resource> && !std::convertible_to<S*, R*>)
    resource_allocator(S*,
                       detail::this_resource_is_not_the_one_that_the_container_names = {}) = delete;

    /// For another element type, or from a concrete resource to a polymorphic one.
    template <class U, class S>
        requires std::convertible_to<S*, R*>
    // NOLINTNEXTLINE(google-explicit-constructor): as std::pmr has it
    resource_allocator(const resource_allocator<U, S>& other) noexcept
        : resource_{other.resource()} {}

    [[nodiscard]] ARENITE_INLINE T* allocate(std::size_t n) {
        if (n > detail::max_object_bytes / sizeof(T)) [[unlikely]]
            throw_bad_array_length(n, sizeof(T));
        return static_cast<T*>(resource_->allocate(n * sizeof(T), alignof(T)));
    }

    /// Elements that take the room of n of them anyway, where R tells (an ordered_heap does);
    /// containers of C++23 ask for it when they grow. To be freed with the count that is returned.
    [[nodiscard]] detail::allocation_result<T*> allocate_at_least(std::size_t n) {
        if constexpr (Rounding<R>) {
            if (n != 0 && n <= detail::max_object_bytes / sizeof(T))
                n = resource_->good_bytes(n * sizeof(T), alignof(T)) / sizeof(T);
        }
        return {allocate(n), n};
    }

    ARENITE_INLINE void deallocate(T* p, std::size_t n) noexcept {
        resource_->deallocate(p, n * sizeof(T), alignof(T));
    }

    [[nodiscard]] resource_allocator select_on_container_copy_construction() const noexcept {
        return *this;
    }

    /// The resource that memory comes from; never nullptr.
    [[nodiscard]] R* resource() const noexcept { return resource_; }

private:
    R* resource_;
};

template <class R>
    requires std::derived_from<R, resource>
resource_allocator(R&) -> resource_allocator<std::byte, R>;

/// True if each can free what the other allocated: the same resource or, polymorphic, an equal one.
template <class T, class U, class R>
[[nodiscard]] bool operator==(const resource_allocator<T, R>& a,
                              const resource_allocator<U, R>& b) noexcept {
    if constexpr (std::same_as<R, resource>)
        return *a.resource() == *b.resource();
    else
        return a.resource() == b.resource();
}

} // namespace ARENITE_ABI
} // namespace arenite
