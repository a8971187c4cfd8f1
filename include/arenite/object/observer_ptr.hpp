// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>
#include <arenite/object/intrusive_ptr.hpp>
#include <arenite/object/ref_counted.hpp>

#include <concepts>
#include <cstddef>
#include <string_view> // std::hash: <functional> takes long to compile
#include <type_traits>
#include <utility>

namespace arenite {
inline namespace ARENITE_ABI {

namespace detail {

// Record of an observed object; shared by its observers and the table of all.
class observation;

// The observation of the object whose count is at this address, with one user added; made if there
// is none. Throws out_of_memory.
[[nodiscard]] observation* observe(const void* object);
void share(observation* o) noexcept;
void leave(observation* o) noexcept;

// True if the object was still alive and `try_add` took a reference to it; it stays alive
// meanwhile.
[[nodiscard]] bool lock(observation* o, bool (*try_add)(const void*), const void* object) noexcept;
[[nodiscard]] bool is_over(const observation* o) noexcept;

} // namespace detail

/// A pointer that does not keep its object alive, and knows when it is gone.
///
///     observer_ptr<node> selected{n};
///     if (intrusive_ptr<node> now = selected.lock())       // or nothing, once it is gone
///         now->draw();
///
/// Use when:  a cache, a selection or a child refers to an object that others own: std::weak_ptr
///            for ref_counted objects.
/// Cost:      the first observer of an object enters it in a table of 16 parts, under the lock of
///            one, as does the destruction of an observed object; lock() takes a lock of that
///            object's.
/// Overhead:  two pointers; 48 bytes and a table entry for each observed object, nothing for
///            others.
/// Threads:   any, with counting::shared...; one observer_ptr by one thread at a time.
/// Failure:   out_of_memory when an object gets its first observer; nothing changes. Copies, moves
///            and lock() do not fail.
///
/// An object is gone once its last reference is, before its destructor runs. A child of fork()
/// should use observers only if no other thread of its parent did so at that moment.
template <class T>
class observer_ptr {
public:
    using element_type = T;

    constexpr observer_ptr() noexcept = default;
    constexpr observer_ptr(std::nullptr_t) noexcept {}

    /// Observes an object, which must be alive throughout this call.
    template <class U>
        requires std::convertible_to<U*, T*>
    explicit observer_ptr(U* object) : object_{object} {
        if (object_ == nullptr)
            return;
        observation_ = detail::observe(detail::reference::key(*object_));
        detail::reference::mark_observed(*object_);
    }
    template <class U>
        requires std::convertible_to<U*, T*>
    observer_ptr(const intrusive_ptr<U>& object) : observer_ptr{object.get()} {}

    observer_ptr(const observer_ptr& other) noexcept
        : object_{other.object_}, observation_{other.observation_} {
        if (observation_ != nullptr)
            detail::share(observation_);
    }
    observer_ptr(observer_ptr&& other) noexcept { other.swap(*this); }
    observer_ptr& operator=(const observer_ptr& other) noexcept {
        observer_ptr{other}.swap(*this);
        return *this;
    }
    observer_ptr& operator=(observer_ptr&& other) noexcept {
        observer_ptr{std::move(other)}.swap(*this);
        return *this;
    }
    ~observer_ptr() {
        if (observation_ != nullptr)
            detail::leave(observation_);
    }

    /// A reference to the object, or to nothing if it is gone.
    [[nodiscard]] intrusive_ptr<T> lock() const noexcept {
        if (observation_ != nullptr && detail::lock(observation_, &try_add, object_))
            return {object_, adopt_reference};
        return nullptr;
    }

    /// True if the object is gone, or there never was one; false may be out of date immediately.
    [[nodiscard]] bool expired() const noexcept {
        return observation_ == nullptr || detail::is_over(observation_);
    }

    void reset() noexcept { observer_ptr{}.swap(*this); }

    void swap(observer_ptr& other) noexcept {
        std::swap(object_, other.object_);
        std::swap(observation_, other.observation_);
    }
    friend void swap(observer_ptr& a, observer_ptr& b) noexcept { a.swap(b); }

    /// Equal if both observe the same object, or both nothing. A new object at the address of one
    /// that is gone is a different object.
    [[nodiscard]] friend bool operator==(const observer_ptr& a, const observer_ptr& b) noexcept {
        return a.observation_ == b.observation_;
    }

private:
    friend struct std::hash<observer_ptr>;

    static bool try_add(const void* object) noexcept {
        return detail::reference::try_add(*static_cast<const T*>(object));
    }

    T* object_ = nullptr; ///< used by lock() only
    detail::observation* observation_ = nullptr;
};

} // namespace ARENITE_ABI
} // namespace arenite

/// Hash of the observed object: it does not change when the object goes.
template <class T>
struct std::hash<arenite::observer_ptr<T>> {
    [[nodiscard]] std::size_t operator()(const arenite::observer_ptr<T>& p) const noexcept {
        return std::hash<const void*>{}(p.observation_);
    }
};
