// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>
#include <arenite/core/contract.hpp>
#include <arenite/handle/detail/handle_table.hpp>

#include <memory>
#include <utility>

namespace arenite {
inline namespace ARENITE_ABI {

namespace detail {

/// Pins an object, and unpins it. The id must be alive.
void pin_object(object_id id) noexcept;
void unpin_object(object_id id) noexcept;

} // namespace detail

template <class T>
class handle;

/// An object of a compacting_heap that stays in place as long as this lives; see handle::pin.
///
///     if (pinned<geometry> mesh = hd.pin())
///         read_into(mesh->vertices);
///
/// Use when:  a pointer to the object is kept across a step: a job reads it, a file is read into
///            it.
/// Cost:      O(1); O(log blocks) for the first pin in a block and the last.
/// Limits:    pins are counted, up to 2^32 - 2. The block of a pinned object is not emptied. An
///            object pinned while its destructor runs is destroyed all the same.
/// Misuse:    destroying a pinned object, or a pin from within the destructor that outlives it, is
///            a contract violation in every build; destroying the heap is one in checked builds.
/// Threads:   those of its heap.
template <class T>
class pinned {
public:
    pinned() noexcept = default;
    pinned(pinned&& other) noexcept
        : object_{std::exchange(other.object_, nullptr)}, id_{std::exchange(other.id_, {})} {}
    pinned& operator=(pinned&& other) noexcept {
        pinned taken{std::move(other)}; // which releases what this held
        std::swap(object_, taken.object_);
        std::swap(id_, taken.id_);
        return *this;
    }
    ~pinned() {
        if (object_ != nullptr)
            detail::unpin_object(id_);
    }

    /// nullptr if the object was already dead.
    [[nodiscard]] T* get() const noexcept { return object_; }
    [[nodiscard]] explicit operator bool() const noexcept { return object_ != nullptr; }
    [[nodiscard]] T& operator*() const noexcept {
        ARENITE_ASSERT(object_ != nullptr, "what was pinned must have been alive");
        return *object_;
    }
    [[nodiscard]] T* operator->() const noexcept { return std::addressof(**this); }

private:
    friend class handle<T>;
    pinned(T* object, detail::object_id id) noexcept : object_{object}, id_{id} {
        if (object != nullptr)
            detail::pin_object(id);
    }

    T* object_ = nullptr;
    detail::object_id id_;
};

} // namespace ARENITE_ABI
} // namespace arenite
