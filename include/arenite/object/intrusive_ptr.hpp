// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>
#include <arenite/core/contract.hpp>
#include <arenite/object/ref_counted.hpp>

#include <compare>
#include <concepts>
#include <cstddef>
#include <string_view> // std::hash: <functional> takes long to compile
#include <type_traits>
#include <utility>

namespace arenite {
inline namespace ARENITE_ABI {

/// Tag: adopts a reference that is already counted.
struct adopt_reference_t {
    explicit adopt_reference_t() = default;
};
inline constexpr adopt_reference_t adopt_reference{};

/// A counted reference to an object that holds its own count (ref_counted).
///
///     intrusive_ptr<node> n = make_intrusive<node>(args...);
///     group->children.push_back(n);                       // another reference
///
/// Use when:  objects are shared: a scene graph's nodes, a cache's textures.
/// Cost:      a copy adds to the count, a move does not; the last reference deletes the object by
///            `delete`, so by the class's own operator delete if it has one.
/// Overhead:  none: a pointer.
/// Threads:   those of the count; a single intrusive_ptr is used by one thread at a time, as any
///            pointer.
/// Failure:   none. Dereferencing a null pointer is a contract violation in checked builds.
///
/// A chain of a million nodes and a tree of any shape are destroyed without recursion deeper than
/// destruction_queue::max_depth; there a destructor may return before those that it released are
/// destroyed. Constant-initialised, so usable before main and after it. A reference to a derived
/// class converts to one to its base if the base's destructor is virtual.
template <class T>
class intrusive_ptr {
public:
    using element_type = T;

    constexpr intrusive_ptr() noexcept = default;
    constexpr intrusive_ptr(std::nullptr_t) noexcept {}

    /// Adds a reference to an object; nullptr gives an empty pointer.
    template <class U>
        requires std::convertible_to<U*, T*>
    explicit intrusive_ptr(U* object) noexcept : object_{checked(object)} {
        if (object_ != nullptr)
            detail::reference::add(*object_);
    }

    /// Adopts a reference that is already counted: one that release() returned.
    template <class U>
        requires std::convertible_to<U*, T*>
    constexpr intrusive_ptr(U* object, adopt_reference_t) noexcept : object_{checked(object)} {}

    ARENITE_INLINE intrusive_ptr(const intrusive_ptr& other) noexcept : object_{other.object_} {
        if (object_ != nullptr)
            detail::reference::add(*object_);
    }
    template <class U>
        requires std::convertible_to<U*, T*>
    intrusive_ptr(const intrusive_ptr<U>& other) noexcept : intrusive_ptr{other.get()} {}

    constexpr intrusive_ptr(intrusive_ptr&& other) noexcept
        : object_{std::exchange(other.object_, nullptr)} {}
    template <class U>
        requires std::convertible_to<U*, T*>
    constexpr intrusive_ptr(intrusive_ptr<U>&& other) noexcept
        : intrusive_ptr{other.release(), adopt_reference} {}

    // The argument takes the old reference along: correct for self-assignment and for an assignment
    // from what the old object holds.
    intrusive_ptr& operator=(const intrusive_ptr& other) noexcept {
        intrusive_ptr{other}.swap(*this);
        return *this;
    }
    intrusive_ptr& operator=(intrusive_ptr&& other) noexcept {
        intrusive_ptr{std::move(other)}.swap(*this);
        return *this;
    }
    intrusive_ptr& operator=(std::nullptr_t) noexcept {
        reset();
        return *this;
    }

    constexpr ~intrusive_ptr() {
        static_assert(detail::reference::has_base<T>,
                      "an object that intrusive_ptr refers to counts its references: derive its "
                      "class from ref_counted<>, publicly and once, and define it before the "
                      "pointer's destructor is compiled: it may be incomplete here");
        if constexpr (detail::reference::has_base<T>)
            if (object_ != nullptr && detail::reference::drop(*object_))
                detail::reference::end(object_);
    }

    /// Drops the reference, and refers to nothing or to another object.
    void reset() noexcept { intrusive_ptr{}.swap(*this); }
    template <class U>
        requires std::convertible_to<U*, T*>
    void reset(U* object) noexcept {
        intrusive_ptr{object}.swap(*this);
    }

    /// Gives up the reference, still counted: pass it to an intrusive_ptr with adopt_reference.
    [[nodiscard]] constexpr T* release() noexcept { return std::exchange(object_, nullptr); }

    constexpr void swap(intrusive_ptr& other) noexcept { std::swap(object_, other.object_); }
    friend constexpr void swap(intrusive_ptr& a, intrusive_ptr& b) noexcept { a.swap(b); }

    [[nodiscard]] constexpr T* get() const noexcept { return object_; }
    [[nodiscard]] constexpr T& operator*() const noexcept {
        ARENITE_ASSERT(object_ != nullptr, "an intrusive_ptr that refers to nothing is followed");
        return *object_;
    }
    [[nodiscard]] constexpr T* operator->() const noexcept {
        ARENITE_ASSERT(object_ != nullptr, "an intrusive_ptr that refers to nothing is followed");
        return object_;
    }
    constexpr explicit operator bool() const noexcept { return object_ != nullptr; }

private:
    // A reference to a U as a T deletes it as a T.
    template <class U>
    static constexpr T* checked(U* object) noexcept {
        static_assert(std::same_as<std::remove_cv_t<U>, std::remove_cv_t<T>> ||
                          std::has_virtual_destructor_v<T>,
                      "deleting an object through its base needs a virtual destructor in the base");
        return object;
    }

    T* object_ = nullptr;
};

template <class U>
intrusive_ptr(U*) -> intrusive_ptr<U>;

template <class T, class U>
[[nodiscard]] constexpr bool operator==(const intrusive_ptr<T>& a,
                                        const intrusive_ptr<U>& b) noexcept {
    return a.get() == b.get();
}
template <class T, class U>
    requires std::equality_comparable_with<T*, U*>
[[nodiscard]] constexpr bool operator==(const intrusive_ptr<T>& a, U* b) noexcept {
    return a.get() == b;
}
template <class T>
[[nodiscard]] constexpr bool operator==(const intrusive_ptr<T>& a, std::nullptr_t) noexcept {
    return a.get() == nullptr;
}
/// By address, in the implementation's total order.
template <class T, class U>
[[nodiscard]] constexpr std::strong_ordering operator<=>(const intrusive_ptr<T>& a,
                                                         const intrusive_ptr<U>& b) noexcept {
    return std::compare_three_way{}(a.get(), b.get());
}

/// Makes an object and the first reference to it: `make_intrusive<node>(args...)`. Uses `new`, so
/// the class's own operator new if it has one (affine). Throws what new and the constructor throw;
/// then the memory is freed.
///
/// A constructor that publishes the object to other threads must hold a reference itself meanwhile.
template <class T, class... Args>
    requires detail::reference::has_base<T>
[[nodiscard]] ARENITE_INLINE intrusive_ptr<T> make_intrusive(Args&&... args) {
    T* object = new T(std::forward<Args>(args)...);
    detail::reference::add_first(*object);
    return intrusive_ptr<T>{object, adopt_reference};
}

template <class T, class... Args>
    requires(!detail::reference::has_base<T>)
std::nullptr_t make_intrusive(Args&&...) {
    static_assert(detail::reference::has_base<T>,
                  "an object that intrusive_ptr refers to counts its references: derive its class "
                  "from ref_counted<>, publicly and once");
    return nullptr;
}

/// static_cast: a pointer to the same object, which is known to be a U.
template <class U, class T>
[[nodiscard]] intrusive_ptr<U> static_pointer_cast(intrusive_ptr<T> p) noexcept {
    return {static_cast<U*>(p.release()), adopt_reference};
}
template <class U, class T>
[[nodiscard]] intrusive_ptr<U> const_pointer_cast(intrusive_ptr<T> p) noexcept {
    return {const_cast<U*>(p.release()), adopt_reference};
}
#ifdef __cpp_rtti
/// dynamic_cast: a pointer to the same object if that is a U, else nullptr.
template <class U, class T>
[[nodiscard]] intrusive_ptr<U> dynamic_pointer_cast(intrusive_ptr<T> p) noexcept {
    U* const object = dynamic_cast<U*>(p.get());
    if (object == nullptr)
        return nullptr;
    static_cast<void>(p.release());
    return {object, adopt_reference};
}
#endif

} // namespace ARENITE_ABI
} // namespace arenite

template <class T>
struct std::hash<arenite::intrusive_ptr<T>> {
    [[nodiscard]] std::size_t operator()(const arenite::intrusive_ptr<T>& p) const noexcept {
        return std::hash<T*>{}(p.get());
    }
};
