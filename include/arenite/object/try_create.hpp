// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>

#include <concepts>
#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace arenite {
inline namespace ARENITE_ABI {

namespace detail {

template <class T>
concept has_try_allocate = requires(std::size_t n) {
    { T::try_allocate(n, n) } noexcept -> std::same_as<void*>;
};

template <class T>
concept has_operator_new = requires(std::size_t n) { T::operator new(n); };

// Allocates the memory that `new T` would use and `delete` frees; nullptr if it is refused.
template <class T>
struct memory_for {
    static constexpr bool wide = alignof(T) > __STDCPP_DEFAULT_NEW_ALIGNMENT__;

    [[nodiscard]] static void* try_allocate() noexcept {
        static_assert(has_try_allocate<T> || !has_operator_new<T>,
                      "a class with its own operator new says by a static, noexcept "
                      "try_allocate(bytes, alignment) how to ask for memory that may be refused");
        if constexpr (has_try_allocate<T>)
            return T::try_allocate(sizeof(T), alignof(T));
        else if constexpr (wide)
            return ::operator new(sizeof(T), std::align_val_t{alignof(T)}, std::nothrow);
        else
            return ::operator new(sizeof(T), std::nothrow);
    }

    // Calls the form that a delete-expression would choose.
    static void deallocate(void* p) noexcept {
        if constexpr (wide && requires { T::operator delete(p, std::align_val_t{}); })
            T::operator delete(p, std::align_val_t{alignof(T)});
        else if constexpr (wide &&
                           requires { T::operator delete(p, sizeof(T), std::align_val_t{}); })
            T::operator delete(p, sizeof(T), std::align_val_t{alignof(T)});
        else if constexpr (requires { T::operator delete(p); })
            T::operator delete(p);
        else if constexpr (requires { T::operator delete(p, sizeof(T)); })
            T::operator delete(p, sizeof(T));
        else if constexpr (wide)
            ::operator delete(p, std::align_val_t{alignof(T)});
        else
            ::operator delete(p);
    }
};

} // namespace detail

/// `new T(args...)` that returns nullptr if memory is refused; the result is destroyed by `delete`,
/// so by any owner that uses it:
///
///     intrusive_ptr<node> n{try_create<node>(args...)};     // null if it was refused
///     std::unique_ptr<mesh> m{try_create<mesh>(args...)};
///
/// Exceptions of the constructor are passed on, and the memory is freed. For a class with its own
/// operator new (affine), its static try_allocate(bytes, alignment) is called.
template <class T, class... Args>
[[nodiscard]] T* try_create(Args&&... args) noexcept(std::is_nothrow_constructible_v<T, Args...>) {
    void* const memory = detail::memory_for<T>::try_allocate();
    if (memory == nullptr) [[unlikely]]
        return nullptr;
    if constexpr (std::is_nothrow_constructible_v<T, Args...>) {
        return ::new (memory) T(std::forward<Args>(args)...);
    } else {
        struct give_back {
            void* memory;
            ~give_back() {
                if (memory != nullptr)
                    detail::memory_for<T>::deallocate(memory);
            }
        } guard{memory};
        T* object = ::new (memory) T(std::forward<Args>(args)...);
        guard.memory = nullptr;
        return object;
    }
}

} // namespace ARENITE_ABI
} // namespace arenite
