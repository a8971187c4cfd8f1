// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/check/detail/poison.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/contract.hpp>
#include <arenite/core/detail/atomic_access.hpp>
#include <arenite/handle/detail/handle_table.hpp>
#include <arenite/handle/pinned.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

namespace arenite {
inline namespace ARENITE_ABI {

namespace detail {

/// Another object, or none, may be at an old place by now: memory checkers would report the read,
/// and ThreadSanitizer a race with a thread that writes there.
inline constexpr bool may_look_at_old_places =
    !checks_enabled && !poison::active && !ARENITE_HAS_TSAN;

/// The untyped part of a handle.
class basic_handle {
public:
    constexpr basic_handle() noexcept = default;
    explicit basic_handle(object_id id) noexcept : id_{id} {}
    basic_handle(object_id id, void* seen) noexcept : cached_{seen}, id_{id} {}

    [[nodiscard]] object_id id() const noexcept { return id_; }

    /// The last known address; the object may have moved away, or died.
    [[nodiscard]] void* cached() const noexcept {
        return atomic_load(cached_, std::memory_order_relaxed);
    }
    void cache(void* address) const noexcept {
        atomic_store(cached_, address, std::memory_order_relaxed);
    }

    /// The address, or nullptr if the object is dead.
    [[nodiscard]] ARENITE_INLINE void* find() const noexcept {
        if constexpr (may_look_at_old_places) {
            void* const at = cached();
            if (word_before(at) == word_of(id_, at)) [[likely]]
                return at;
        }
        return id_.is_null() ? nullptr : find_in_table();
    }

    /// Looks the address up in the table.
    ARENITE_NOINLINE void* find_in_table() const noexcept;

private:
    // Threads that read one handle find the same address and store it: the order does not matter.
    mutable void* cached_ = const_cast<std::uint64_t*>(&null_word + 1);
    object_id id_;
};

/// A handle to the object at an address, or an empty one if there is none. Reads the 8 bytes before
/// it.
[[nodiscard]] basic_handle handle_at(void* address) noexcept;

} // namespace detail

/// Refers to an object of a compacting_heap wherever it has moved to, or to nothing once it is
/// dead.
///
///     handle    | last known address | slot, generation |
///                        |
///     word      | id ^ address ^ random |    before each object, while it lives there
///
/// An access compares that word, stored just before the object (usually in the same cache line).
/// Only if it differs is the table consulted, and the answer stored in this handle.
///
/// Use when:  referring to an object of a compacting_heap; see there. It is trivially copyable,
///            like a pointer: copies are registered nowhere.
/// Cost:      that of a pointer plus one comparison. After a move once a call and a cache miss; for
///            an object too large to be moved, the call each time.
/// Overhead:  16 bytes.
/// Limits:    the address of an object is valid until the next step of its heap, or as long as it
///            is pinned.
/// Misuse:    a handle used after the end of its heap is found in checked builds; in others the old
///            address is read. Zeroed memory is not a valid handle: construct it.
/// Threads:   any number may access objects by handles, even by the same ones, while no thread
///            makes, destroys, pins or moves an object of the heap. An access to an object that has
///            moved stores the new place in the handle, const or not, atomically: threads that
///            share a handle must use it by reference, since copying it meanwhile is a data race.
template <class T>
class handle {
public:
    using element_type = T;

    /// An empty handle.
    constexpr handle() noexcept = default;

    /// A handle to a T converts to one to a const T.
    template <class U>
        requires(std::is_same_v<const U, T> && !std::is_same_v<U, T>)
    // NOLINTNEXTLINE(google-explicit-constructor): as with pointers
    handle(const handle<U>& other) noexcept : handle_{other.untyped()} {}

    /// The object, or nullptr if it is dead.
    [[nodiscard]] ARENITE_INLINE T* get() const noexcept { return static_cast<T*>(handle_.find()); }
    [[nodiscard]] ARENITE_INLINE T* operator->() const noexcept { return std::addressof(**this); }
    [[nodiscard]] ARENITE_INLINE T& operator*() const noexcept {
        T* const object = get();
        ARENITE_ASSERT(object != nullptr, "the object of this handle is dead");
        return *object;
    }

    /// True while the object lives.
    [[nodiscard]] ARENITE_INLINE explicit operator bool() const noexcept {
        return get() != nullptr;
    }

    /// Keeps the object in place as long as the returned object lives.
    [[nodiscard]] pinned<T> pin() const noexcept { return {get(), handle_.id()}; }

    /// Handles to the same object are equal, dead or alive; so are empty ones.
    friend bool operator==(const handle& a, const handle& b) noexcept {
        return a.handle_.id() == b.handle_.id();
    }

    /// For the heap, which handles them without their types.
    explicit handle(const detail::basic_handle& untyped) noexcept : handle_{untyped} {}
    [[nodiscard]] const detail::basic_handle& untyped() const noexcept { return handle_; }

private:
    detail::basic_handle handle_;
};

/// A handle to an object of a compacting_heap, from within the object or by its address:
/// handle_of(*this). T is the type it was made as. If the object is not in such a heap, this is a
/// contract violation in checked builds; in others it returns an empty handle, if the 8 bytes
/// before the object can be read.
template <class T>
[[nodiscard]] handle<T> handle_of(T& object) noexcept {
    void* const at = const_cast<std::remove_const_t<T>*>(std::addressof(object));
    const detail::basic_handle found = detail::handle_at(at);
    ARENITE_ASSERT(!found.id().is_null(),
                   "handle_of takes an object of a compacting_heap, as the type it was made");
    return handle<T>{found};
}

} // namespace ARENITE_ABI
} // namespace arenite

template <class T>
struct std::hash<arenite::handle<T>> {
    [[nodiscard]] std::size_t operator()(const arenite::handle<T>& h) const noexcept {
        return std::hash<std::uint64_t>{}(h.untyped().id().all_bits());
    }
};
