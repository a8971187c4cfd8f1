// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/affinity/affinity.hpp>
#include <arenite/affinity/affinity_heap.hpp>
#include <arenite/core/alignment.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/detail/extremes.hpp>
#include <arenite/core/error.hpp>
#include <arenite/core/resource_base.hpp>

#include <cstddef>
#include <new>

namespace arenite {
inline namespace ARENITE_ABI {

/// Base of classes whose objects are to lie together: `new Node` and `delete node` use the heap of
/// the affinity, and so does everything built on them.
///
///     class Node : public affine<affinities::nodes> { public: virtual ~Node() = default; };
///     Node* n = new Node;   delete n;   auto m = std::make_unique<Node>();
///
/// Use when:  the class is yours and its objects are allocated one by one. For containers inside
///            them: affinity_allocator (stl/affinity_allocator.hpp).
/// Cost:      that of affinity_heap.
/// Overhead:  0 bytes an object; its size grows only if the first member has the same affine base.
/// Limits:    an object deleted through a base class needs a virtual destructor there, as the
///            language requires: it is freed with its own size. `new (std::nothrow)` does not
///            compile, since the matching delete would not know the size: use try_create
///            (object/try_create.hpp). std::make_shared does not use a class's operator new, so its
///            object lies elsewhere: std::allocate_shared with an affinity_allocator puts the
///            object and its counts into the heap. If the constructor of a class aligned to more
///            than 16 throws, compilers find no delete to call, and the object's memory leaks.
/// Threads:   any.
/// Failure:   out_of_memory; nothing changes.
/// Source:    VulkanSceneGraph, vsg::Allocator.  (doc/sources.md)
///
/// A derived class changes its affinity by a second base, and says which of the two counts:
/// `class Body : public Node, public affine<my_bodies> { public: ARENITE_AFFINE(my_bodies); };`
template <AffinityTag A>
class affine {
public:
    using affinity = A;

    [[nodiscard]] ARENITE_INLINE static void* operator new(std::size_t bytes) {
        return allocate(bytes, alignment_for(bytes));
    }
    [[nodiscard]] ARENITE_INLINE static void* operator new[](std::size_t bytes) {
        return allocate(bytes, array_alignment(bytes));
    }
    [[nodiscard]] ARENITE_INLINE static void* operator new(std::size_t bytes,
                                                           std::align_val_t alignment) {
        return allocate(bytes, at_least(alignment));
    }
    [[nodiscard]] ARENITE_INLINE static void* operator new[](std::size_t bytes,
                                                             std::align_val_t alignment) {
        return allocate(bytes, at_least(alignment));
    }

    [[nodiscard]] static void* operator new(std::size_t, void* place) noexcept { return place; }
    [[nodiscard]] static void* operator new[](std::size_t, void* place) noexcept { return place; }
    static void operator delete(void*, void*) noexcept {}
    static void operator delete[](void*, void*) noexcept {}

    // The delete that matches these would not know the size: use try_create<T>() instead.
    static void* operator new(std::size_t, const std::nothrow_t&) = delete;
    static void* operator new[](std::size_t, const std::nothrow_t&) = delete;

    // Only the sized forms: beside an unsized form the language would call that one.
    ARENITE_INLINE static void operator delete(void* p, std::size_t bytes) noexcept {
        deallocate(p, bytes, alignment_for(bytes));
    }
    ARENITE_INLINE static void operator delete[](void* p, std::size_t bytes) noexcept {
        deallocate(p, bytes, array_alignment(bytes));
    }
    ARENITE_INLINE static void operator delete(void* p, std::size_t bytes,
                                               std::align_val_t alignment) noexcept {
        deallocate(p, bytes, at_least(alignment));
    }
    ARENITE_INLINE static void operator delete[](void* p, std::size_t bytes,
                                                 std::align_val_t alignment) noexcept {
        deallocate(p, bytes, at_least(alignment));
    }

    /// Allocates as `new` of an object of this size and alignment does, but returns nullptr on
    /// failure; for try_create.
    [[nodiscard]] static void* try_allocate(std::size_t bytes, std::size_t alignment) noexcept {
        return affinity_heap::try_allocate_in<A>(bytes, alignment > default_alignment
                                                            ? at_least(std::align_val_t{alignment})
                                                            : alignment_for(bytes));
    }

    /// The heap that the objects lie in.
    [[nodiscard]] static affinity_heap& heap() noexcept { return affinity_heap::of<A>(); }

protected:
    affine() = default;
    affine(const affine&) = default;
    affine(affine&&) = default;
    affine& operator=(const affine&) = default;
    affine& operator=(affine&&) = default;
    ~affine() = default;

private:
    static constexpr std::size_t floor = affinity_options::of<A>().alignment;

    /// The largest alignment an object of this size can need: `new` passes no more about it.
    [[nodiscard]] static constexpr std::size_t alignment_for(std::size_t bytes) noexcept {
        return detail::larger(natural_alignment(bytes), floor);
    }
    /// An array may store its element count before the first element.
    [[nodiscard]] static constexpr std::size_t array_alignment(std::size_t bytes) noexcept {
        return detail::larger(alignment_for(bytes), alignof(std::size_t));
    }
    [[nodiscard]] static constexpr std::size_t at_least(std::align_val_t alignment) noexcept {
        return detail::larger(static_cast<std::size_t>(alignment), floor);
    }

    [[nodiscard]] ARENITE_INLINE static void* allocate(std::size_t bytes, std::size_t alignment) {
        void* const p = affinity_heap::try_allocate_in<A>(bytes, alignment);
        if (p == nullptr) [[unlikely]]
            detail::refuse(affinity_heap::of<A>(), bytes, alignment);
        return p;
    }
    ARENITE_INLINE static void deallocate(void* p, std::size_t bytes,
                                          std::size_t alignment) noexcept {
        if (p != nullptr) [[likely]]
            affinity_heap::deallocate_in<A>(p, bytes, alignment);
    }
};

} // namespace ARENITE_ABI
} // namespace arenite

/// In a class with two affine bases, selects the one whose operators new and delete are used.
#define ARENITE_AFFINE(Tag)                                                                        \
    using affinity = Tag;                                                                          \
    using ::arenite::affine<Tag>::operator new;                                                    \
    using ::arenite::affine<Tag>::operator new[];                                                  \
    using ::arenite::affine<Tag>::operator delete;                                                 \
    using ::arenite::affine<Tag>::operator delete[];                                               \
    using ::arenite::affine<Tag>::try_allocate;                                                    \
    using ::arenite::affine<Tag>::heap
