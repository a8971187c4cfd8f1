// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>
#include <arenite/core/describe.hpp>
#include <arenite/core/detail/aggregate.hpp>

#include <concepts>
#include <cstddef>
#include <string_view>
#include <type_traits>
#include <utility>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

template <std::size_t K, class M>
struct indexed_type {
    using type = M;
};

/// The K-th of a list of types, without a chain of instantiations.
template <class Indices, class... M>
struct indexed_types;
template <std::size_t... K, class... M>
struct indexed_types<std::index_sequence<K...>, M...> : indexed_type<K, M>... {};

template <std::size_t K, class M>
constexpr indexed_type<K, M> type_at(const indexed_type<K, M>&) noexcept {
    return {};
}

template <class... M>
constexpr indexed_types<std::index_sequence_for<M...>, M...>
index_types(aggregate::detail::type_list<M...>) noexcept {
    return {};
}

template <class Pointer>
struct member_pointer;
template <class M, class C>
struct member_pointer<M C::*> {
    using type = M;
    using of = C;
};

template <class M>
inline constexpr bool is_data_pointer = std::is_member_object_pointer_v<M>;

// One sentence each; the count is 0 where one does not hold, so that nothing follows from it.
template <class T>
consteval std::size_t count_members() {
    using aggregate::obstacle;
    constexpr obstacle o = aggregate::obstacle_of<T>;
    static_assert(o != obstacle::not_plain,
                  "the members of this type cannot be found, since it is no plain struct: it has "
                  "constructors, virtual functions or members that are not public; write a "
                  "describe<T> for it");
    static_assert(o != obstacle::empty, "this type has no members");
    static_assert(o != obstacle::base,
                  "the members of this type cannot be found, since it has a base; write a "
                  "describe<T> for it, or make the base its first member");
    static_assert(o != obstacle::reference,
                  "the members of this type cannot be found, since one of them is a reference, or "
                  "begins with no value in braces; keep a pointer instead, or write a describe<T> "
                  "for the others");
    static_assert(o != obstacle::array,
                  "a member of this type is a C array; use std::array, which can be copied");
    static_assert(
        o != obstacle::bit_field,
        "a member of this type is a bit-field, which has no address; keep the whole word, "
        "or write a describe<T> for the others");
    static_assert(o != obstacle::too_many,
                  "this type has more members than are found by themselves (each element of a C "
                  "array counts as one); write a describe<T> for it");
    if constexpr (o == obstacle::none)
        return aggregate::detail::values<T, aggregate::detail::any_value<T>>();
    else
        return 0;
}

/// Members found automatically.
template <class T>
struct found_members {
    static constexpr std::size_t count = count_members<T>();

    using types = decltype(index_types(aggregate::detail::bound_types<T, count>{}));

    template <auto Member>
    static consteval std::size_t find() {
        return aggregate::index_of<count, T>(Member);
    }

    template <std::size_t K>
    static consteval std::string_view name() {
        return aggregate::name_of_member<T, count, K>;
    }

    template <class U, class F>
    ARENITE_INLINE static constexpr decltype(auto) visit(U& object, F&& f) {
        return aggregate::bind<count>(object, f);
    }

    template <class... M>
    ARENITE_INLINE static constexpr T make(M&&... m) {
        return T{std::forward<M>(m)...};
    }
};

/// Members listed by a describe<T>.
template <class T, class List>
struct listed_members;
template <class T, auto... Members>
struct listed_members<T, member_list<Members...>> {
    static_assert((is_data_pointer<decltype(Members)> && ...) && sizeof...(Members) != 0,
                  "describe<T>::members is a member_list of pointers to data members");
    static_assert((std::derived_from<T, typename member_pointer<decltype(Members)>::of> && ...),
                  "describe<T>::members lists a member of another class");
    static_assert((!std::is_array_v<typename member_pointer<decltype(Members)>::type> && ...),
                  "describe<T>::members lists a C array; use std::array, which can be copied");

    static constexpr std::size_t count = sizeof...(Members);
    using types = indexed_types<std::make_index_sequence<count>,
                                typename member_pointer<decltype(Members)>::type...>;

    template <auto A, auto B>
    static consteval bool is_same() {
        using pointer = typename member_pointer<decltype(A)>::type T::*;
        if constexpr (std::is_same_v<typename member_pointer<decltype(A)>::type,
                                     typename member_pointer<decltype(B)>::type>)
            return pointer{A} == pointer{B};
        else
            return false;
    }

    template <auto Member>
    static consteval std::size_t find() {
        static_assert((std::size_t{is_same<Member, Members>()} + ...) < 2,
                      "describe<T>::members lists a member twice");
        std::size_t index = 0;
        static_cast<void>((... || (is_same<Member, Members>() || (++index, false))));
        return index;
    }

    template <std::size_t K>
    static consteval std::string_view name() {
        constexpr std::string_view all[]{aggregate::name_of_pointer<Members>...};
        return all[K];
    }

    template <class U, class F>
    ARENITE_INLINE static constexpr decltype(auto) visit(U& object, F&& f) {
        return f(object.*Members...);
    }

    template <class... M>
    ARENITE_INLINE static constexpr T make(M&&... m) {
        if constexpr (requires { describe<T>::make(std::forward<M>(m)...); }) {
            return describe<T>::make(std::forward<M>(m)...);
        } else {
            T object{};
            static_cast<void>(((object.*Members = std::forward<M>(m)), ...));
            return object;
        }
    }
};

template <class T>
auto choose_members() {
    if constexpr (requires { typename describe<T>::members; })
        return std::type_identity<listed_members<T, typename describe<T>::members>>{};
    else
        return std::type_identity<found_members<T>>{};
}

template <class T>
using member_source = typename decltype(choose_members<T>())::type;

} // namespace detail

/// The data members of T at compile time, in order: those of its describe<T>, else all members of a
/// plain struct.
///
///     static_assert(members_of<particle>::count == 3);
///     static_assert(members_of<particle>::index<&particle::mass> == 2);
///     static_assert(members_of<particle>::name<2> == "mass");
///
/// Use when:  code works on the members of a type that it does not know: columns, reports.
/// Cost:      all at compile time, `visit` inlines; finding 12 members takes the compiler about 20
///            ms, and each member that is looked up less than 1 ms more.
/// Limits:    aggregate::max_members members, else a describe<T>. References, C arrays, bit-fields,
///            bases and non-public members are refused with a clear compile-time message.
template <class T>
class members_of {
    using source = detail::member_source<T>;

public:
    static constexpr std::size_t count = source::count;

    template <std::size_t K>
    using type =
        typename decltype(detail::type_at<K>(std::declval<typename source::types>()))::type;

    /// The index of the member that a pointer points to. It must be one of them.
    template <auto Member>
    static constexpr std::size_t index = [] {
        using pointer = decltype(Member);
        static_assert(detail::is_data_pointer<pointer>, "this is no pointer to a data member");
        if constexpr (detail::is_data_pointer<pointer>) {
            constexpr bool own = std::derived_from<T, typename detail::member_pointer<pointer>::of>;
            static_assert(own, "this is a member of another class");
            if constexpr (own) {
                constexpr std::size_t found = source::template find<Member>();
                static_assert(found < count, "this member is not listed in describe<T>");
                return found;
            }
        }
    }();

    /// The name of the member in the source.
    template <std::size_t K>
    static constexpr std::string_view name = source::template name<K>();

    /// Calls f(m1, m2, ...) with references to all members of an object, const or not.
    template <class U, class F>
        requires std::same_as<std::remove_const_t<U>, T>
    ARENITE_INLINE static constexpr decltype(auto) visit(U& object, F&& f) {
        return source::visit(object, f);
    }

    /// Makes a T from its members.
    template <class... M>
        requires(sizeof...(M) == count)
    [[nodiscard]] ARENITE_INLINE static constexpr T make(M&&... m) {
        return source::make(std::forward<M>(m)...);
    }
};

} // namespace ARENITE_ABI
} // namespace arenite
