// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>
#include <arenite/core/detail/size.hpp>
#include <arenite/core/error.hpp>
#include <arenite/core/resource.hpp>

#include <concepts>
#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

namespace arenite {
inline namespace ARENITE_ABI {

/// Makes a T in memory of r: `node* n = arenite::create<node>(heap, args...)`. Inlines for a
/// concrete resource. Throws what the resource or the constructor throws; then the memory is freed.
template <class T, std::derived_from<resource> R, class... Args>
[[nodiscard]] ARENITE_INLINE T* create(R& r, Args&&... args) {
    void* p = r.allocate(sizeof(T), alignof(T));
    if constexpr (std::is_nothrow_constructible_v<T, Args...>) {
        return ::new (p) T(std::forward<Args>(args)...);
    } else {
        struct give_back {
            R& r;
            void* p;
            ~give_back() {
                if (p != nullptr)
                    r.deallocate(p, sizeof(T), alignof(T));
            }
        } guard{r, p};
        T* object = ::new (p) T(std::forward<Args>(args)...);
        guard.p = nullptr;
        return object;
    }
}

/// Destroys an object of create() and frees its memory; nullptr is allowed. T must be the type it
/// was created as: a base would be freed with the wrong size.
template <class T, std::derived_from<resource> R>
ARENITE_INLINE void destroy(R& r, T* p) noexcept {
    static_assert(!std::is_array_v<T> && !std::is_void_v<T>, "destroy takes one object");
    if (p == nullptr)
        return;
    std::destroy_at(p);
    r.deallocate(const_cast<std::remove_cv_t<T>*>(p), sizeof(T), alignof(T));
}

/// Memory for n objects of T, not constructed; n of 0 gives an empty span that may be freed or
/// dropped. Throws std::bad_array_new_length if n * sizeof(T) does not fit, and what the resource
/// throws.
template <class T, std::derived_from<resource> R>
[[nodiscard]] ARENITE_INLINE std::span<T> allocate_n(R& r, std::size_t n) {
    if (n > detail::max_object_bytes / sizeof(T)) [[unlikely]]
        throw_bad_array_length(n, sizeof(T));
    if (n == 0)
        return {};
    return {static_cast<T*>(r.allocate(n * sizeof(T), alignof(T))), n};
}

/// Frees what allocate_n returned.
template <class T, std::derived_from<resource> R>
ARENITE_INLINE void deallocate_n(R& r, std::span<T> objects) noexcept {
    if (!objects.empty())
        r.deallocate(objects.data(), objects.size_bytes(), alignof(T));
}

} // namespace ARENITE_ABI
} // namespace arenite
