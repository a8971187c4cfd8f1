// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace arenite {
inline namespace ARENITE_ABI {

/// True if an object may be moved by copying its bytes, after which the old place is simply
/// forgotten: no constructor and no destructor runs. This holds for trivially copyable types that
/// can be moved at all: compilers call a std::mutex, whose copies are deleted, trivially copyable,
/// too. Authors of other types that do not store their own address may declare it:
///
///     template <> struct arenite::is_trivially_relocatable<mesh> : std::true_type {};
template <class T>
struct is_trivially_relocatable
    : std::bool_constant<std::is_trivially_copyable_v<T> && std::is_move_constructible_v<T>> {};

template <class T>
inline constexpr bool is_trivially_relocatable_v = is_trivially_relocatable<T>::value;

/// A class that is notified when it was moved: `void relocated(const void* from) noexcept`, called
/// at the new place. `from` is the old address, at which nothing lives any more.
template <class T>
concept TellsOfRelocation = requires(T& object, const void* from) { object.relocated(from); };

/// A type that can be moved from one place to another without failing.
template <class T>
concept Relocatable = (is_trivially_relocatable_v<T> || (std::is_nothrow_move_constructible_v<T> &&
                                                         std::is_nothrow_destructible_v<T>)) &&
                      (!TellsOfRelocation<T> || requires(T& object, const void* from) {
                          { object.relocated(from) } noexcept;
                      });

namespace detail {

/// How objects of one type are moved and destroyed; one for each type in the process.
struct object_kind {
    std::size_t bytes;
    std::size_t alignment;
    void (*relocate)(void* to, void* from) noexcept; ///< nullptr: the bytes are copied
    void (*end)(void* object) noexcept;              ///< nullptr: nothing to do
    std::uint16_t number;                            ///< see kind_numbered
};

/// Assigns a number to a kind with a fixed address. More than 16,383 of them are a contract
/// violation.
[[nodiscard]] std::uint16_t number_kind(const object_kind* kind);

/// The kind of that number.
[[nodiscard]] const object_kind& kind_numbered(std::uint16_t number) noexcept;

template <class T>
void relocate(void* to, void* from) noexcept {
    T* moved;
    if constexpr (is_trivially_relocatable_v<T>) {
        std::memcpy(to, from, sizeof(T));
        moved = std::launder(static_cast<T*>(to));
    } else {
        T* const old = static_cast<T*>(from);
        moved = ::new (to) T(std::move(*old));
        std::destroy_at(old);
    }
    if constexpr (TellsOfRelocation<T>)
        moved->relocated(from);
}

template <class T>
void end(void* object) noexcept {
    std::destroy_at(static_cast<T*>(object));
}

/// The kind of T, numbered at first use.
template <class T>
[[nodiscard]] const object_kind& kind_of() {
    struct numbered {
        object_kind kind{sizeof(T), alignof(T), nullptr, nullptr, 0};
        numbered() {
            if constexpr (Relocatable<T> &&
                          (!is_trivially_relocatable_v<T> || TellsOfRelocation<T>))
                kind.relocate = &relocate<T>;
            if constexpr (!std::is_trivially_destructible_v<T>)
                kind.end = &end<T>;
            kind.number = number_kind(&kind);
        }
    };
    static const numbered only;
    return only.kind;
}

} // namespace detail

} // namespace ARENITE_ABI
} // namespace arenite
