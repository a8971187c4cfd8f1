// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>
#include <arenite/core/contract.hpp>
#include <arenite/core/detail/atomic_access.hpp>
#include <arenite/handle/detail/handle_table.hpp>
#include <arenite/handle/handle.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

namespace arenite {
inline namespace ARENITE_ABI {

namespace detail {

/// The untyped part of a relocatable_ptr.
class basic_relocatable_ptr {
public:
    constexpr basic_relocatable_ptr() noexcept = default;
    explicit basic_relocatable_ptr(const basic_handle& h) noexcept;

    [[nodiscard]] std::uint32_t slot() const noexcept { return slot_; }

    /// The last known place; any address if there is none.
    [[nodiscard]] void* cached() const noexcept {
        return address_of_place(atomic_load(place_, std::memory_order_relaxed));
    }

    /// Stores an address, if it lies within the first 32 GiB of places.
    void cache(const void* address) const noexcept {
        const std::uintptr_t distance =
            reinterpret_cast<std::uintptr_t>(address) - place_base.load(std::memory_order_relaxed);
        const std::uint64_t place = distance / granule;
        atomic_store(place_, place < most_places ? static_cast<std::uint32_t>(place) : 0u,
                     std::memory_order_relaxed);
    }

    [[nodiscard]] ARENITE_INLINE void* find() const noexcept {
        if (slot_ == 0)
            return nullptr;
        if constexpr (may_look_at_old_places) {
            if (const std::uint32_t place = atomic_load(place_, std::memory_order_relaxed);
                place != 0) [[likely]] {
                void* const at = address_of_place(place);
                const std::uint64_t differs = word_before(at) ^ word_of({slot_, 0}, at);
                if (differs << (64 - object_id::generation_shift) == 0) [[likely]]
                    return at; // all but the generation is the same
            }
        }
        return find_in_table();
    }

    /// The id of what lives in the slot now; a null id if nothing does.
    [[nodiscard]] object_id id() const noexcept;

private:
    static constexpr std::size_t granule = 8;
    static constexpr std::uint64_t most_places = std::uint64_t{1} << 32;

    [[nodiscard]] static void* address_of_place(std::uint32_t place) noexcept {
        return reinterpret_cast<void*>(place_base.load(std::memory_order_relaxed) +
                                       place * std::uintptr_t{granule});
    }

    ARENITE_NOINLINE void* find_in_table() const noexcept;

    mutable std::uint32_t place_ = 0; ///< in units of 8 bytes from place_base; 0: not known
    std::uint32_t slot_ = 0;
#if ARENITE_CHECKS
    std::uint16_t generation_ = 0;
#endif
};

} // namespace detail

/// An 8-byte pointer to an object of a compacting_heap that follows the object when it moves.
///
///     | last known place 32 | slot 32 |      the place in units of 8 bytes: 32 GiB
///
/// Like a handle it compares the word before the object, without its generation, and consults the
/// table if that differs. It cannot tell whether its object died and another one has its slot.
///
/// Use when:  links within a structure whose owner destroys its parts, as from a tree's node to its
///            children: half the memory of handles, and so half the cache. For anything else use a
///            handle.
/// Cost:      see handle; for places beyond 32 GiB of the process's first block always the table
///            lookup.
/// Overhead:  8 bytes; 12 in checked builds, which know the generation.
/// Misuse:    use after the object's end, including the question whether it lives: a contract
///            violation in checked builds. In others it yields nullptr, or the object that has the
///            slot now.
/// Threads:   as handle.
template <class T>
class relocatable_ptr {
public:
    using element_type = T;

    constexpr relocatable_ptr() noexcept = default;
    // NOLINTNEXTLINE(google-explicit-constructor): as pointers from what owns
    constexpr relocatable_ptr(std::nullptr_t) noexcept {}
    /// A pointer to the object of a handle; null if it is dead.
    // NOLINTNEXTLINE(google-explicit-constructor): so that a member takes what make() returns
    relocatable_ptr(const handle<T>& h) noexcept : pointer_{h.untyped()} {}

    [[nodiscard]] ARENITE_INLINE T* get() const noexcept {
        return static_cast<T*>(pointer_.find());
    }
    [[nodiscard]] ARENITE_INLINE T* operator->() const noexcept { return std::addressof(**this); }
    [[nodiscard]] ARENITE_INLINE T& operator*() const noexcept {
        T* const object = get();
        ARENITE_ASSERT(object != nullptr, "this relocatable_ptr is null");
        return *object;
    }
    /// True while get() finds an object; reads it, as get() does.
    [[nodiscard]] ARENITE_INLINE explicit operator bool() const noexcept {
        return get() != nullptr;
    }

    /// True if it was never given an object: looks at the pointer alone, whatever became of the
    /// object.
    [[nodiscard]] bool is_null() const noexcept { return pointer_.slot() == 0; }

    /// A handle to the same object.
    [[nodiscard]] arenite::handle<T> handle() const noexcept {
        T* const object = get();
        return object != nullptr ? handle_of(*object) : arenite::handle<T>{};
    }

    /// Pointers to the same object are equal.
    friend bool operator==(const relocatable_ptr& a, const relocatable_ptr& b) noexcept {
        return a.pointer_.slot() == b.pointer_.slot();
    }

    /// For the heap, which handles them without their types.
    [[nodiscard]] const detail::basic_relocatable_ptr& untyped() const noexcept { return pointer_; }

private:
    detail::basic_relocatable_ptr pointer_;
};

} // namespace ARENITE_ABI
} // namespace arenite

template <class T>
struct std::hash<arenite::relocatable_ptr<T>> {
    [[nodiscard]] std::size_t operator()(const arenite::relocatable_ptr<T>& p) const noexcept {
        return std::hash<std::uint32_t>{}(p.untyped().slot());
    }
};
