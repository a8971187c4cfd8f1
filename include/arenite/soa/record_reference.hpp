// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>
#include <arenite/core/contract.hpp>
#include <arenite/core/detail/aggregate.hpp>
#include <arenite/core/members.hpp>
#include <arenite/soa/detail/row_origin.hpp>

#include <concepts>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

namespace arenite {
inline namespace ARENITE_ABI {

/// One row of `records`: a reference to an object whose members may lie apart.
///
///     auto p = particles[7];
///     p.get<&particle::mass>() = 2;               // member known at compile time
///     p[&particle::mass] *= 2;                    // member pointer at run time
///     auto [position, velocity, mass] = p;        // references to all members
///     particle copy = p;
///     p = particle{};
///
/// A copy refers to the same row; assigning assigns to the members, as with a reference. A row of
/// const records gives references to const and cannot be assigned to.
///
/// Cost:      three words, which stay in registers if it is used at once; `get` searches nothing,
///            even without optimisation.
/// Misuse:    using one after rows of its records were added or removed, which a checked build
///            finds.
template <class T, class Layout, bool Const = false>
class record_reference {
    using members = members_of<T>;
    using placement = typename Layout::template placement<T>;
    template <class M>
    using maybe_const = std::conditional_t<Const, const M, M>;
    using all = std::make_index_sequence<members::count>;

public:
    using value_type = T;

    ARENITE_INLINE record_reference(const detail::row_origin& origin, std::size_t row) noexcept
        : origin_{origin}, row_{row} {}
    record_reference(const record_reference&) noexcept = default;

    /// The member of a pointer, `get<&T::mass>()`, or at an index, `get<2>()`.
    template <auto Member>
    [[nodiscard]] ARENITE_INLINE auto& get() const {
        if constexpr (std::integral<decltype(Member)>)
            return at<static_cast<std::size_t>(Member)>();
        else if constexpr (placement::whole_objects)
            return static_cast<maybe_const<T>&>(object()).*Member;
        else
            return at<members::template index<Member>>();
    }

    /// The member of a pointer that may be known at run time only: one comparison for each member
    /// of its type, none if the compiler knows the pointer and optimises.
    template <class M, class C>
        requires std::derived_from<T, C>
    [[nodiscard]] ARENITE_INLINE maybe_const<M>& operator[](M C::*member) const {
        if constexpr (placement::whole_objects) {
            return object().*member;
        } else {
            return *find(all{}, member);
        }
    }

    /// A copy of the row as an object.
    // NOLINTNEXTLINE(google-explicit-constructor): a reference converts to what it refers to
    [[nodiscard]] operator T() const
        requires std::copy_constructible<T>
    {
        return copied(all{});
    }

    /// Moves the row into an object; the members of the row are left as moved from.
    [[nodiscard]] T take() const
        requires(!Const)
    {
        return taken(all{});
    }

    // NOLINTNEXTLINE(google-explicit-constructor): as T& converts to const T&
    operator record_reference<T, Layout, true>() const noexcept
        requires(!Const)
    {
        return {origin_, row_};
    }

    // Assignment goes to the members, so a const reference can still be assigned to.
    const record_reference& operator=(const T& value) const
        requires(!Const)
    {
        assign(value);
        return *this;
    }
    const record_reference& operator=(T&& value) const
        requires(!Const)
    {
        assign(std::move(value));
        return *this;
    }
    // NOLINTNEXTLINE(misc-unconventional-assign-operator)
    const record_reference& operator=(const record_reference& other) const
        requires(!Const)
    {
        assign_from(all{}, other);
        return *this;
    }
    record_reference& operator=(const record_reference& other)
        requires(!Const)
    {
        assign_from(all{}, other);
        return *this;
    }

    /// Exchanges the members of two rows.
    friend void swap(const record_reference& a, const record_reference& b)
        requires(!Const)
    {
        a.swap_with(all{}, b);
    }

private:
    [[nodiscard]] ARENITE_INLINE maybe_const<T>& object() const {
        origin_.check("row", row_);
        return *placement::template at<0>(origin_.memory(), origin_.capacity(), row_);
    }

    template <std::size_t K>
    [[nodiscard]] ARENITE_INLINE auto& at() const {
        static_assert(K < members::count, "there are not that many members");
        using member = typename members::template type<K>;
        if constexpr (placement::whole_objects) {
            return members::visit(object(), [](auto&... m) -> maybe_const<member>& {
                const void* const addresses[]{std::addressof(m)...};
                return *static_cast<maybe_const<member>*>(const_cast<void*>(addresses[K]));
            });
        } else {
            origin_.check("row", row_);
            return static_cast<maybe_const<member>&>(
                *placement::template at<K>(origin_.memory(), origin_.capacity(), row_));
        }
    }

    /// Compares places in an object that never lives with those of its members.
    template <std::size_t... K, class M, class C>
    ARENITE_INLINE maybe_const<M>* find(std::index_sequence<K...>, M C::*member) const {
        const detail::aggregate::ghost<T> nobody;
        const void* const wanted = std::addressof(nobody.value.*member);
        const std::size_t index = members::visit(nobody.value, [wanted](auto&... m) {
            std::size_t found = members::count;
            (...,
             (std::is_same_v<typename members::template type<K>, M> && std::addressof(m) == wanted
                  ? static_cast<void>(found = K)
                  : static_cast<void>(0)));
            return found;
        });
        if (index == members::count) [[unlikely]]
            contract_violation("this member is not listed in describe<T>");
        maybe_const<M>* result = nullptr;
        (..., [&] {
            if constexpr (std::is_same_v<typename members::template type<K>, M>)
                if (index == K)
                    result = std::addressof(at<K>());
        }());
        return result;
    }

    template <std::size_t... K>
    [[nodiscard]] T copied(std::index_sequence<K...>) const {
        if constexpr (placement::whole_objects)
            return object();
        else
            return members::make(std::as_const(at<K>())...);
    }

    template <std::size_t... K>
    [[nodiscard]] T taken(std::index_sequence<K...>) const {
        if constexpr (placement::whole_objects)
            return std::move(object());
        else
            return members::make(std::move(at<K>())...);
    }

    template <class V>
    void assign(V&& value) const {
        if constexpr (placement::whole_objects)
            object() = std::forward<V>(value);
        else
            members::visit(value, [&](auto&... m) {
                if constexpr (std::is_lvalue_reference_v<V>)
                    this->assign_members(all{}, m...);
                else
                    this->assign_members(all{}, std::move(m)...);
            });
    }

    template <std::size_t... K, class... M>
    void assign_members(std::index_sequence<K...>, M&&... m) const {
        (..., (at<K>() = std::forward<M>(m)));
    }

    template <std::size_t... K>
    void assign_from(std::index_sequence<K...>, const record_reference& other) const {
        if constexpr (placement::whole_objects)
            object() = std::as_const(other.object());
        else
            (..., (at<K>() = std::as_const(other.template at<K>())));
    }

    template <std::size_t... K>
    void swap_with(std::index_sequence<K...>, const record_reference& other) const {
        using std::swap;
        if constexpr (placement::whole_objects)
            swap(object(), other.object());
        else
            (..., swap(at<K>(), other.template at<K>()));
    }

    detail::row_origin origin_;
    std::size_t row_;
};

} // namespace ARENITE_ABI
} // namespace arenite

/// `auto [a, b, c] = row`: references to the members, in declaration order.
template <class T, class Layout, bool Const>
struct std::tuple_size<arenite::record_reference<T, Layout, Const>>
    : std::integral_constant<std::size_t, arenite::members_of<T>::count> {};

template <std::size_t K, class T, class Layout, bool Const>
struct std::tuple_element<K, arenite::record_reference<T, Layout, Const>> {
    using member = typename arenite::members_of<T>::template type<K>;
    using type = std::conditional_t<Const, const member, member>&;
};
