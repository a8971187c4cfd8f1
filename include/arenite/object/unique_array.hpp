// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>
#include <arenite/core/contract.hpp>
#include <arenite/core/resource.hpp>
#include <arenite/object/destruction_queue.hpp>
#include <arenite/object/detail/owner.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

namespace arenite {
inline namespace ARENITE_ABI {

template <class T, class R = resource>
class unique_ptr;

/// Sole owner of an array in memory of a resource, as make_unique<T[]>(r, n) returns it: unique_ptr
/// in its form for T[].
///
/// Cost:      as unique_ptr; elements are destroyed from the last to the first.
/// Overhead:  one more word than unique_ptr: the length.
/// Limits:    no conversions, except by release().
template <class T, class R>
class unique_ptr<T[], R> {
    using owner = detail::owner<R>;
    static_assert(!detail::is_object_pool<R>, "an object_pool has single objects");

public:
    using element_type = T;
    using pointer = T*;

    constexpr unique_ptr() noexcept = default;
    constexpr unique_ptr(std::nullptr_t) noexcept {}

    /// Takes ownership of objects in memory of r, usually from allocate_n<T>(r, n).
    unique_ptr(std::span<T> objects, R& r) noexcept
        requires(!owner::is_static)
        : object_{objects.data()}, size_{objects.size()}, owner_{&r} {}
    explicit unique_ptr(std::span<T> objects) noexcept
        requires owner::is_static
        : object_{objects.data()}, size_{objects.size()} {}

    constexpr unique_ptr(unique_ptr&& other) noexcept
        : object_{std::exchange(other.object_, nullptr)}, size_{std::exchange(other.size_, 0)},
          owner_{other.owner_} {}
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
        if (size_ != 0)
            finish(object_, size_);
    }

    /// Destroys the elements, the last one first; then owns nothing.
    void reset() noexcept {
        if (const std::span<T> objects = release(); !objects.empty())
            finish(objects.data(), objects.size());
    }

    /// Gives up ownership: the caller destroys the elements and frees them by deallocate_n.
    [[nodiscard]] constexpr std::span<T> release() noexcept {
        return {std::exchange(object_, nullptr), std::exchange(size_, 0)};
    }

    constexpr void swap(unique_ptr& other) noexcept {
        std::swap(object_, other.object_);
        std::swap(size_, other.size_);
        std::swap(owner_, other.owner_);
    }
    friend constexpr void swap(unique_ptr& a, unique_ptr& b) noexcept { a.swap(b); }

    [[nodiscard]] constexpr T* get() const noexcept { return object_; }
    [[nodiscard]] constexpr std::size_t size() const noexcept { return size_; }
    [[nodiscard]] constexpr T* begin() const noexcept { return object_; }
    [[nodiscard]] constexpr T* end() const noexcept { return object_ + size_; }
    [[nodiscard]] constexpr T& operator[](std::size_t i) const noexcept {
        ARENITE_ASSERT(i < size_, "an index must be below the array's size");
        return object_[i];
    }

    /// False also for an array of no elements: it has no memory.
    constexpr explicit operator bool() const noexcept { return object_ != nullptr; }

    [[nodiscard]] R* resource() const noexcept
        requires(!owner::is_static)
    {
        return owner_.source;
    }

private:
    ARENITE_INLINE void finish(T* objects, std::size_t n) const noexcept {
        auto* const p = const_cast<std::remove_cv_t<T>*>(objects);
        if constexpr (std::is_trivially_destructible_v<T>)
            owner_.deallocate(p, n * sizeof(T), alignof(T));
        else
            destruction_queue::end<&unique_ptr::end_objects>(p, owner_.word(), n);
    }

    static void end_objects(void* p, void* word, std::size_t n) noexcept {
        auto* const objects = static_cast<std::remove_cv_t<T>*>(p);
        for (std::size_t i = n; i > 0; --i)
            std::destroy_at(objects + (i - 1));
        owner::of_word(word).deallocate(p, n * sizeof(T), alignof(T));
    }

    T* object_ = nullptr;
    std::size_t size_ = 0;
    ARENITE_NO_UNIQUE_ADDRESS owner owner_{};
};

} // namespace ARENITE_ABI
} // namespace arenite
