// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include "../subject.hpp"

#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

// For workloads whose objects come from a pool of objects where a subject is one, or else are made
// in memory of its heap: objects_for<S, T> has an `owner`, acquire(args...), which returns one, and
// for_each(f) where it is a pool.

namespace arenite::lab {

/// Objects that are made by their constructor in memory of a subject's heap, and ended by their
/// destructor.
template <class S, class T>
class objects_of_heap {
public:
    class owner {
    public:
        owner() = default;
        owner(objects_of_heap& from, T* object) noexcept : from_{&from}, object_{object} {}
        owner(owner&& other) noexcept
            : from_{other.from_}, object_{std::exchange(other.object_, nullptr)} {}
        owner& operator=(owner&& other) noexcept {
            owner old{std::move(*this)};
            from_ = other.from_;
            object_ = std::exchange(other.object_, nullptr);
            return *this;
        }
        ~owner() { reset(); }
        void reset() noexcept {
            if (T* const gone = std::exchange(object_, nullptr)) {
                gone->~T();
                from_->heap_.deallocate(gone, sizeof(T), alignof(T));
            }
        }
        [[nodiscard]] T* get() const noexcept { return object_; }
        T* operator->() const noexcept { return object_; }
        T& operator*() const noexcept { return *object_; }

    private:
        objects_of_heap* from_ = nullptr;
        T* object_ = nullptr;
    };

    template <class... Args>
    [[nodiscard]] owner acquire(Args&&... args) {
        return {*this,
                ::new (heap_.allocate(sizeof(T), alignof(T))) T(std::forward<Args>(args)...)};
    }

private:
    heap_for<S, sizeof(T), alignof(T)> heap_;
};

template <class S>
concept has_objects = requires { typename S::template objects<std::uint64_t>; };

template <class S, class T>
struct objects_for {
    using type = objects_of_heap<S, T>;
};
template <has_objects S, class T>
struct objects_for<S, T> {
    using type = typename S::template objects<T>;
};

} // namespace arenite::lab
