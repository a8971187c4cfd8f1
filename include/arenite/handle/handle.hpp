// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/check/poison.hpp>
#include <arenite/core/atomic_access.hpp>
#include <arenite/core/config.hpp>
#include <arenite/core/contract.hpp>
#include <arenite/handle/handle_table.hpp>
#include <arenite/handle/pinned.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

namespace arenite {
inline namespace ARENITE_ABI {

namespace detail {

/// An old place may be another object by now, or nobody's: memory checkers would report the look,
/// and ThreadSanitizer a race with whoever writes there.
inline constexpr bool may_look_at_old_places =
    !checks_enabled && !poison::active && !ARENITE_HAS_TSAN;

/// What a handle is, whatever the type of its object.
class basic_handle {
public:
    constexpr basic_handle() noexcept = default;
    explicit basic_handle(object_id id) noexcept : id_{id} {}
    basic_handle(object_id id, void* seen) noexcept : seen_{seen}, id_{id} {}

    [[nodiscard]] object_id id() const noexcept { return id_; }

    /// The address seen last; the object may have left it, or died.
    [[nodiscard]] void* seen() const noexcept {
        return atomic_load(seen_, std::memory_order_relaxed);
    }
    void see(void* address) const noexcept {
        atomic_store(seen_, address, std::memory_order_relaxed);
    }

    /// The address, or nullptr where the object is dead.
    [[nodiscard]] ARENITE_INLINE void* find() const noexcept {
        if constexpr (may_look_at_old_places) {
            void* const at = seen();
            if (word_before(at) == word_of(id_, at)) [[likely]]
                return at;
        }
        return id_.is_nobody() ? nullptr : ask();
    }

    /// The address as the table knows it.
    ARENITE_NOINLINE void* ask() const noexcept;

private:
    // Threads that read one handle find the same and remember it: which of them does is no matter.
    mutable void* seen_ = const_cast<std::uint64_t*>(&word_of_nobody + 1);
    object_id id_;
};

/// A handle to what lives at an address, to nothing where nothing does. The 8 bytes before it are
/// read.
[[nodiscard]] basic_handle handle_at(void* address) noexcept;

} // namespace detail

/// Leads to an object of a compacting_heap wherever it has moved to, or to nothing once it is dead.
///
///     handle    | address seen last | slot, generation |
///                        |
///     word      | id ^ address ^ random |    before each object, while it lives there
///
/// An access compares that word, which lies in front of the object, in its cache line as a rule.
/// Only where it differs the table is asked, and the answer remembered in this handle.
///
/// Use when:  an object of a compacting_heap is referred to; see there. It is trivially copyable,
///            as a pointer is: copies are registered nowhere.
/// Cost:      a pointer's and one comparison. After a move once a call and a cache miss; for an
///            object that never moves, being large, the call each time.
/// Overhead:  16 bytes.
/// Limits:    the address of an object is good until the next step of its heap, or as long as it
///            is pinned.
/// Misuse:    one that is used after its heap's end is found in checked builds; in others the
///            old address is read. Memory that was cleared holds no handle: it is to be made.
/// Threads:   any number may access objects by handles, by the same ones too, while nobody makes,
///            destroys, pins or moves an object of the heap. An access to an object that moved
///            stores the place in the handle, const or not, atomically: threads that share a
///            handle use it by reference, since to copy it meanwhile is a data race.
template <class T>
class handle {
public:
    using element_type = T;

    /// To nothing.
    constexpr handle() noexcept = default;

    /// A handle to what may be changed is one to what may not.
    template <class U>
        requires(std::is_same_v<const U, T> && !std::is_same_v<U, T>)
    // NOLINTNEXTLINE(google-explicit-constructor): as with pointers
    handle(const handle<U>& other) noexcept : handle_{other.untyped()} {}

    /// The object, or nullptr where it is dead.
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

    /// Keeps the object where it is while what is returned lives.
    [[nodiscard]] pinned<T> pin() const noexcept { return {get(), handle_.id()}; }

    /// Handles are equal that were made for the same object, dead or alive; and those to nothing.
    friend bool operator==(const handle& a, const handle& b) noexcept {
        return a.handle_.id() == b.handle_.id();
    }

    /// For the heap, which knows handles without their types.
    explicit handle(const detail::basic_handle& untyped) noexcept : handle_{untyped} {}
    [[nodiscard]] const detail::basic_handle& untyped() const noexcept { return handle_; }

private:
    detail::basic_handle handle_;
};

static_assert(sizeof(handle<int>) <= 16 && std::is_trivially_copyable_v<handle<int>>);

/// A handle to an object of a compacting_heap, from within or by its address: handle_of(*this). T
/// is the type it was made as. In checked builds an object of no such heap is a contract violation;
/// in others it gives a handle to nothing, if the 8 bytes before it can be read.
template <class T>
[[nodiscard]] handle<T> handle_of(T& object) noexcept {
    void* const at = const_cast<std::remove_const_t<T>*>(std::addressof(object));
    const detail::basic_handle found = detail::handle_at(at);
    ARENITE_ASSERT(!found.id().is_nobody(),
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
