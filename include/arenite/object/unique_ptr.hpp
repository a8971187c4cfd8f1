// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>
#include <arenite/core/contract.hpp>
#include <arenite/core/create.hpp>
#include <arenite/core/resource.hpp>
#include <arenite/object/destruction_queue.hpp>
#include <arenite/object/detail/owner.hpp>
#include <arenite/object/unique_array.hpp>

#include <compare>
#include <concepts>
#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

namespace arenite {
inline namespace ARENITE_ABI {

/// Sole owner of an object in memory of a resource: destroys the object and returns its memory.
///
///     auto bunny = make_unique<mesh>(heap, "bunny");      // unique_ptr<mesh, ordered_heap>
///     auto n = make_unique<node>(affinities::nodes{});    // one word: the tag tells the heap
///     auto weights = make_unique<float[]>(heap, 1000);    // all 0
///
/// Use when:  an object has one owner at a time: std::unique_ptr, for any resource. A class with
///            its own operator new (affine) works with std::unique_ptr, too, except for deep
///            chains.
/// Cost:      destruction is the destructor and the resource's deallocate, with sizes known at
///            compile time; for a T with a destructor also a comparison and two additions
///            (destruction_queue).
/// Overhead:  one word if the type determines the resource: an affinity's tag, a struct with a
///            static resource(), an object_pool; else two. An array stores its length as well.
/// Limits:    converts to a pointer to a base only if the resource frees by address alone (an
///            affinity; a resource that always knows sizes) and the base has a virtual destructor:
///            otherwise it would be freed with the base's size.
/// Threads:   as any pointer; destruction is a call of the resource.
/// Failure:   none; make_unique throws what the resource and the constructor throw.
///
/// Chains of a million objects and trees of any shape, of one class and resource or of a few, are
/// destroyed without recursion deeper than destruction_queue::max_depth. There a destructor may
/// return before what it owned is destroyed: but only while an object of the same class and
/// resource is being destroyed further down the stack, so the resource still exists.
template <class T, class R>
class unique_ptr {
    static_assert(!std::is_array_v<T>,
                  "an array of unknown length, T[], has a unique_ptr of its own");
    using owner = detail::owner<R>;

public:
    using element_type = T;
    using pointer = T*;

    constexpr unique_ptr() noexcept = default;
    constexpr unique_ptr(std::nullptr_t) noexcept {}

    /// Takes ownership of an object in memory of r, usually from create<T>(r, ...).
    unique_ptr(T* object, R& r) noexcept
        requires(!owner::is_static)
        : object_{object}, owner_{&r} {}

    /// Takes ownership of an object in memory that the type R determines.
    explicit unique_ptr(T* object) noexcept
        requires owner::is_static
        : object_{object} {}

    constexpr unique_ptr(unique_ptr&& other) noexcept
        : object_{std::exchange(other.object_, nullptr)}, owner_{other.owner_} {}

    /// Converts from a pointer to a derived class or to a non-const object, and from one that knows
    /// the type of the resource to one that does not.
    template <class U, class S>
        requires(std::convertible_to<U*, T*> && !std::is_array_v<U> &&
                 (std::same_as<R, S> || (std::same_as<R, resource> && detail::ResourceType<S>)))
    // NOLINTNEXTLINE(google-explicit-constructor): as std::unique_ptr
    unique_ptr(unique_ptr<U, S>&& other) noexcept
        : object_{checked(other.object_)}, owner_{take_owner(other)} {
        other.object_ = nullptr;
    }

    // The argument takes the old object along: correct for self-assignment and for an assignment
    // from what the old object owns.
    unique_ptr& operator=(unique_ptr&& other) noexcept {
        unique_ptr{std::move(other)}.swap(*this);
        return *this;
    }
    unique_ptr& operator=(std::nullptr_t) noexcept {
        reset();
        return *this;
    }

    unique_ptr(const unique_ptr&) = delete;
    unique_ptr& operator=(const unique_ptr&) = delete;

    constexpr ~unique_ptr() {
        if (object_ != nullptr)
            end(object_);
    }

    /// Destroys the object, if any; then owns nothing.
    void reset() noexcept {
        if (T* const object = std::exchange(object_, nullptr))
            end(object);
    }

    /// Gives up ownership: the caller frees it by destroy(r, p) or by another unique_ptr.
    [[nodiscard]] constexpr T* release() noexcept { return std::exchange(object_, nullptr); }

    constexpr void swap(unique_ptr& other) noexcept {
        std::swap(object_, other.object_);
        std::swap(owner_, other.owner_);
    }
    friend constexpr void swap(unique_ptr& a, unique_ptr& b) noexcept { a.swap(b); }

    [[nodiscard]] constexpr T* get() const noexcept { return object_; }
    [[nodiscard]] constexpr T& operator*() const noexcept {
        ARENITE_ASSERT(object_ != nullptr, "a unique_ptr that owns nothing is followed");
        return *object_;
    }
    [[nodiscard]] constexpr T* operator->() const noexcept {
        ARENITE_ASSERT(object_ != nullptr, "a unique_ptr that owns nothing is followed");
        return object_;
    }
    constexpr explicit operator bool() const noexcept { return object_ != nullptr; }

    /// The resource that the object's memory is returned to; nullptr if it never owned anything.
    [[nodiscard]] R* resource() const noexcept
        requires(!owner::is_static)
    {
        return owner_.source;
    }

private:
    template <class U, class S>
    friend class unique_ptr;

    template <class U>
    static constexpr bool is_same_class = std::same_as<std::remove_cv_t<U>, std::remove_cv_t<T>>;

    // The owner of a U as a T destroys it as a T.
    template <class U>
    static T* checked(U* object) noexcept {
        static_assert(is_same_class<U> || std::has_virtual_destructor_v<T>,
                      "deleting an object through its base needs a virtual destructor in the base");
        static_assert(
            is_same_class<U> || owner::frees_by_address,
            "a unique_ptr becomes one to a base only where memory is freed by its address "
            "alone, as an affinity does: this resource would get back the base's size");
        T* const base = object;
#if !defined(__cpp_rtti)
        if (static_cast<const volatile void*>(base) != object) [[unlikely]]
            contract_violation("without run-time type information, a unique_ptr becomes one to a "
                               "base only where the base is the first of its class");
#endif
        return base;
    }

    template <class U, class S>
    static owner take_owner(const unique_ptr<U, S>& other) noexcept {
        if constexpr (std::same_as<R, S>)
            return other.owner_;
        else
            return {other.owner_.source};
    }

    ARENITE_INLINE void end(T* object) const noexcept {
        using plain = std::remove_cv_t<T>;
        auto* const p = const_cast<plain*>(object);
        if constexpr (detail::is_object_pool<R>)
            R::take_back(p);
        else if constexpr (std::is_trivially_destructible_v<T>)
            owner_.deallocate(p, sizeof(T), alignof(T));
        else
            destruction_queue::end<&unique_ptr::end_object>(p, owner_.word(), 1);
    }

    static void end_object(void* p, void* word, std::size_t) noexcept {
        using plain = std::remove_cv_t<T>;
        auto* const object = static_cast<plain*>(p);
        const owner from = owner::of_word(word);
        if constexpr (owner::frees_by_address && std::has_virtual_destructor_v<T> &&
                      !std::is_final_v<T>) {
#if defined(__cpp_rtti)
            p = dynamic_cast<void*>(object); // the complete object, of which this may be a base
#endif
            std::destroy_at(object);
            from.deallocate(p);
        } else {
            std::destroy_at(object);
            from.deallocate(p, sizeof(T), alignof(T));
        }
    }

    T* object_ = nullptr;
    ARENITE_NO_UNIQUE_ADDRESS owner owner_{};
};

template <class T, class R, class U, class S>
[[nodiscard]] constexpr bool operator==(const unique_ptr<T, R>& a,
                                        const unique_ptr<U, S>& b) noexcept {
    return a.get() == b.get();
}
template <class T, class R>
[[nodiscard]] constexpr bool operator==(const unique_ptr<T, R>& a, std::nullptr_t) noexcept {
    return a.get() == nullptr;
}
/// By address, in the implementation's total order.
template <class T, class R, class U, class S>
[[nodiscard]] constexpr std::strong_ordering operator<=>(const unique_ptr<T, R>& a,
                                                         const unique_ptr<U, S>& b) noexcept {
    return std::compare_three_way{}(a.get(), b.get());
}

namespace detail {

// The type for a resource and for a tag.
template <class T, class R, class... Args>
[[nodiscard]] ARENITE_INLINE unique_ptr<T, R> make_owned(owner<R> from, Args&&... args) {
    const auto adopted = [&](auto object) {
        if constexpr (owner<R>::is_static)
            return unique_ptr<T, R>{object};
        else
            return unique_ptr<T, R>{object, *from.source};
    };
    if constexpr (!std::is_array_v<T>) {
        return adopted(create<T>(from.memory(), std::forward<Args>(args)...));
    } else {
        using element = std::remove_extent_t<T>;
        struct give_back {
            owner<R> from;
            std::span<element> objects;
            ~give_back() { deallocate_n(from.memory(), objects); }
        } guard{from, allocate_n<element>(from.memory(), static_cast<std::size_t>(args)...)};
        std::uninitialized_value_construct(guard.objects.begin(), guard.objects.end());
        return adopted(std::exchange(guard.objects, {}));
    }
}

} // namespace detail

/// Makes an object in memory of r, which must outlive it, and returns its owner. Throws what the
/// resource and the constructor throw; then the memory is freed. `make_unique<T[]>(r, n)`: n
/// objects, each made by T().
template <class T, detail::ResourceType R, class... Args>
[[nodiscard]] ARENITE_INLINE unique_ptr<T, R> make_unique(R& r, Args&&... args) {
    return detail::make_owned<T, R>({&r}, std::forward<Args>(args)...);
}
template <class T, detail::ResourceType R, class... Args>
void make_unique(const R&& r, Args&&... args) = delete; // would be gone before the object

/// make_unique in memory of a tag's affinity, or of a type that determines its resource: the owner
/// is one word.
template <class T, class Tag, class... Args>
    requires(detail::HeapTag<Tag> || detail::StaticTag<Tag>)
[[nodiscard]] ARENITE_INLINE unique_ptr<T, Tag> make_unique(Tag, Args&&... args) {
    return detail::make_owned<T, Tag>({}, std::forward<Args>(args)...);
}

} // namespace ARENITE_ABI
} // namespace arenite

template <class T, class R>
struct std::hash<arenite::unique_ptr<T, R>> {
    [[nodiscard]] std::size_t operator()(const arenite::unique_ptr<T, R>& p) const noexcept {
        return std::hash<typename arenite::unique_ptr<T, R>::pointer>{}(p.get());
    }
};
