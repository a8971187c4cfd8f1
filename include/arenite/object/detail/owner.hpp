// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/affinity/affinity.hpp>
#include <arenite/affinity/affinity_heap.hpp>
#include <arenite/core/concepts.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/resource.hpp>

#include <concepts>
#include <cstddef>
#include <type_traits>

namespace arenite {
inline namespace ARENITE_ABI {

template <class T, class Rules>
class object_pool;

namespace detail {

/// A type that determines one resource, so that users of it store no pointer:
///
///     struct level_memory {
///         static arenite::ordered_heap& resource() { return the_level_heap; }
///     };
template <class S>
concept StaticResource = requires {
    { S::resource() } noexcept;
    requires std::is_lvalue_reference_v<decltype(S::resource())>;
    requires std::derived_from<std::remove_reference_t<decltype(S::resource())>, arenite::resource>;
};

/// Frees each of its allocations by the address alone, always: an affinity does; a heap that may
/// have been made with sizes::given does not.
template <class R>
concept FreeingByAddress =
    Sizing<R> && UnsizedFreeing<R> && !requires(const R& r) { r.keeps_sizes(); };

// Asked first wherever a class is looked at: an object_pool of T may be named while T is being
// defined.
template <class R>
inline constexpr bool is_object_pool = false;
template <class T, class Rules>
inline constexpr bool is_object_pool<object_pool<T, Rules>> = true;

template <class R>
concept ResourceType = !is_object_pool<R> && std::derived_from<R, resource>;
template <class R>
concept StaticTag = !is_object_pool<R> && !ResourceType<R> && StaticResource<R>;
template <class R>
concept HeapTag = !is_object_pool<R> && !ResourceType<R> && !StaticTag<R> && AffinityTag<R>;

/// The part of a unique_ptr that says where memory goes back to: a pointer, or nothing if the type
/// R determines it.
///
/// Threads:   those of what it stands for.
template <class R>
struct owner {
    static_assert(is_object_pool<R>,
                  "what a unique_ptr's memory comes from is a resource, a struct with a static, "
                  "noexcept resource(), the tag of an affinity, or an object_pool");
    static constexpr bool is_static = true;
    static constexpr bool frees_by_address = false;
};

template <ResourceType R>
struct owner<R> {
    static constexpr bool is_static = false;
    static constexpr bool frees_by_address = FreeingByAddress<R>;

    R* source = nullptr;

    [[nodiscard]] R& memory() const noexcept { return *source; }
    [[nodiscard]] void* word() const noexcept { return source; }
    [[nodiscard]] static owner of_word(void* word) noexcept { return {static_cast<R*>(word)}; }
    ARENITE_INLINE void deallocate(void* p, std::size_t bytes, std::size_t alignment) const {
        source->deallocate(p, bytes, alignment);
    }
    ARENITE_INLINE void deallocate(void* p) const
        requires frees_by_address
    {
        source->deallocate(p);
    }
};

template <StaticTag R>
struct owner<R> {
    using source_type = std::remove_reference_t<decltype(R::resource())>;
    static constexpr bool is_static = true;
    static constexpr bool frees_by_address = FreeingByAddress<source_type>;

    [[nodiscard]] static source_type& memory() noexcept { return R::resource(); }
    [[nodiscard]] static void* word() noexcept { return nullptr; }
    [[nodiscard]] static owner of_word(void*) noexcept { return {}; }
    ARENITE_INLINE static void deallocate(void* p, std::size_t bytes, std::size_t alignment) {
        R::resource().deallocate(p, bytes, alignment);
    }
    ARENITE_INLINE static void deallocate(void* p)
        requires frees_by_address
    {
        R::resource().deallocate(p);
    }
};

template <HeapTag A>
struct owner<A> {
    static constexpr bool is_static = true;
    static constexpr bool frees_by_address = true;

    [[nodiscard]] static affinity_heap& memory() noexcept { return affinity_heap::of<A>(); }
    [[nodiscard]] static void* word() noexcept { return nullptr; }
    [[nodiscard]] static owner of_word(void*) noexcept { return {}; }
    ARENITE_INLINE static void deallocate(void* p, std::size_t bytes,
                                          std::size_t alignment) noexcept {
        affinity_heap::deallocate_in<A>(p, bytes, alignment);
    }
    ARENITE_INLINE static void deallocate(void* p) noexcept { affinity_heap::deallocate_any(p); }
};

} // namespace detail

} // namespace ARENITE_ABI
} // namespace arenite
