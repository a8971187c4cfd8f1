// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <new>

// These let standard containers take their memory from subjects that have no allocator of their
// own.

namespace arenite::lab {

/// From a subject without state, by its own calls: an n of 1 is known when the code is compiled.
template <class T, class S>
struct heap_allocator {
    using value_type = T;

    heap_allocator() = default;
    template <class U>
    heap_allocator(const heap_allocator<U, S>&) noexcept {}

    [[nodiscard]] T* allocate(std::size_t n) {
        if (n > std::numeric_limits<std::ptrdiff_t>::max() / sizeof(T))
            throw std::bad_array_new_length{};
        void* p = S{}.allocate(n * sizeof(T), alignof(T));
        if (p == nullptr)
            throw std::bad_alloc{};
        return static_cast<T*>(p);
    }
    void deallocate(T* p, std::size_t n) noexcept { S{}.deallocate(p, n * sizeof(T), alignof(T)); }
    template <class U>
    bool operator==(const heap_allocator<U, S>&) const noexcept {
        return true;
    }
};

/// Nodes from a pool that all containers with nodes of one type share; arrays, which no pool of
/// nodes is made for, from std::allocator.
template <class T, class S>
struct node_allocator {
    using value_type = T;

    node_allocator() = default;
    template <class U>
    node_allocator(const node_allocator<U, S>&) noexcept {}

    [[nodiscard]] T* allocate(std::size_t n) {
        if (n == 1)
            return static_cast<T*>(nodes_.allocate(sizeof(T), alignof(T)));
        return std::allocator<T>{}.allocate(n);
    }
    void deallocate(T* p, std::size_t n) noexcept {
        if (n == 1)
            nodes_.deallocate(p, sizeof(T), alignof(T));
        else
            std::allocator<T>{}.deallocate(p, n);
    }
    template <class U>
    bool operator==(const node_allocator<U, S>&) const noexcept {
        return true;
    }

private:
    inline static typename S::template pool<sizeof(T), alignof(T)> nodes_;
};

} // namespace arenite::lab
