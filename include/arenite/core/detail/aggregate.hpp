// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>

#include <concepts>
#include <cstddef>
#include <memory>
#include <string_view>
#include <type_traits>
#include <utility>

// The compiler's knowledge of a plain struct, made visible: how many members it has, of which
// types, which of them a member pointer means, and what they are called. No macro, no generator:
//
//   1. The number of members is the largest number of values in braces that begins a T, where each
//      value says that it converts to anything.
//   2. A structured binding of so many names gives the members and their types.
//   3. A `T` that never lives, in a union, has members with addresses. In a constant expression
//      the address that a member pointer leads to equals that of one of the bound names.
//   4. A compiler that is asked for the name of a function whose template argument is such an
//      address writes the member's name into it.
//
// core/describe.hpp stands on this and is what others use.
namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {
namespace aggregate {

/// More members than this are not mapped.
inline constexpr std::size_t max_members = 48;

/// Why a type is not mapped.
enum class obstacle { none, not_plain, empty, too_many, base, reference, array, bit_field };

// Much here is declared only, since no program runs it.
#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wundefined-var-template"
#pragma clang diagnostic ignored "-Wundefined-internal"
#endif

// ---- 1. how many --------------------------------------------------------------------------------
namespace detail {

/// Converts to every member of a T, but neither to a T itself nor to a reference.
template <class T>
struct any_value {
    template <class U>
        requires(!std::same_as<std::remove_cv_t<U>, T>)
    operator U() const noexcept; // NOLINT(google-explicit-constructor): is any
};

/// Converts to a member that is an lvalue reference.
template <class T>
struct any_reference {
    template <class U>
        requires(!std::same_as<std::remove_cv_t<U>, T>)
    operator U&() const noexcept; // NOLINT(google-explicit-constructor): is any
    template <class U>
        requires(!std::same_as<std::remove_cv_t<U>, T>)
    operator U&&() const noexcept; // NOLINT(google-explicit-constructor): is any
};

/// Converts to a base of T and to nothing else.
template <class T>
struct any_base {
    template <class U>
        requires(std::is_base_of_v<U, T> && !std::same_as<std::remove_cv_t<U>, T>)
    operator U() const noexcept; // NOLINT(google-explicit-constructor): is any
};

template <class Value, std::size_t>
using repeat = Value;

template <class T, class Value, std::size_t... I>
consteval bool begins(std::index_sequence<I...>) {
    return requires { T{repeat<Value, I>{}...}; };
}

/// True if N values in braces begin a T.
template <class T, class Value, std::size_t N>
inline constexpr bool begins_with = begins<T, Value>(std::make_index_sequence<N>{});

/// The least number of values that a T needs: more than 0 where members have no default.
template <class T, class Value, std::size_t N = 0>
consteval std::size_t least() {
    if constexpr (begins_with<T, Value, N> || N > max_members)
        return N;
    else
        return least<T, Value, N + 1>();
}

/// The most that it takes. Between the least and the most every number will do, so the interval is
/// halved: Enough of them begin a T, Many do not.
template <class T, class Value, std::size_t Enough, std::size_t Many>
consteval std::size_t most() {
    if constexpr (Enough + 1 == Many)
        return Enough;
    else if constexpr (constexpr std::size_t middle = Enough + (Many - Enough) / 2;
                       begins_with<T, Value, middle>)
        return most<T, Value, middle, Many>();
    else
        return most<T, Value, Enough, middle>();
}

/// max_members + 1 where no number will do, or more.
template <class T, class Value>
consteval std::size_t values() {
    constexpr std::size_t first = least<T, Value>();
    if constexpr (first > max_members || begins_with<T, Value, max_members + 1>)
        return max_members + 1;
    else
        return most<T, Value, first, max_members + 1>();
}

template <class T, std::size_t... Before, std::size_t... After>
consteval bool takes_two(std::index_sequence<Before...>, std::index_sequence<After...>) {
    using any = any_value<T>;
    return requires { T{repeat<any, Before>{}..., {any{}, any{}}, repeat<any, After>{}...}; };
}

/// True if the P-th of Count values is the first of an array: braces around two of them leave less
/// room behind. Around those of a class they leave it all.
template <class T, std::size_t Count, std::size_t P, std::size_t After = 0>
consteval bool array_at() {
    using before = std::make_index_sequence<P>;
    if constexpr (P + 1 >= Count)
        return false;
    else if constexpr (takes_two<T>(before{}, std::make_index_sequence<Count - P - 1>{}))
        return false;
    else if constexpr (takes_two<T>(before{}, std::make_index_sequence<After>{}))
        return true;
    else if constexpr (P + 2 + After < Count)
        return array_at<T, Count, P, After + 1>();
    else
        return false;
}

template <class T, std::size_t Count, std::size_t... P>
consteval bool has_array(std::index_sequence<P...>) {
    return (array_at<T, Count, P>() || ...);
}

} // namespace detail

// ---- 2. which -----------------------------------------------------------------------------------

/// f(m1, m2, ...) with the first N members of an object that has as many; nothing where one of them
/// cannot be referred to, which is a bit-field.
template <std::size_t N, class T, class F>
ARENITE_INLINE constexpr decltype(auto) bind(T& object, F&& f) {
#define ARENITE_16_MEMBERS m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16
#define ARENITE_32_MEMBERS                                                                         \
    ARENITE_16_MEMBERS, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29, m30, m31, \
        m32
#define ARENITE_BIND(count, ...)                                                                   \
    if constexpr (N == count) {                                                                    \
        [[maybe_unused]] auto& [__VA_ARGS__] = object;                                             \
        if constexpr (requires { f(__VA_ARGS__); })                                                \
            return f(__VA_ARGS__);                                                                 \
    }
    if constexpr (N == 0)
        return f();
    ARENITE_BIND(1, m1)
    ARENITE_BIND(2, m1, m2)
    ARENITE_BIND(3, m1, m2, m3)
    ARENITE_BIND(4, m1, m2, m3, m4)
    ARENITE_BIND(5, m1, m2, m3, m4, m5)
    ARENITE_BIND(6, m1, m2, m3, m4, m5, m6)
    ARENITE_BIND(7, m1, m2, m3, m4, m5, m6, m7)
    ARENITE_BIND(8, m1, m2, m3, m4, m5, m6, m7, m8)
    ARENITE_BIND(9, m1, m2, m3, m4, m5, m6, m7, m8, m9)
    ARENITE_BIND(10, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10)
    ARENITE_BIND(11, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11)
    ARENITE_BIND(12, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12)
    ARENITE_BIND(13, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13)
    ARENITE_BIND(14, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14)
    ARENITE_BIND(15, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15)
    ARENITE_BIND(16, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16)
    ARENITE_BIND(17, ARENITE_16_MEMBERS, m17)
    ARENITE_BIND(18, ARENITE_16_MEMBERS, m17, m18)
    ARENITE_BIND(19, ARENITE_16_MEMBERS, m17, m18, m19)
    ARENITE_BIND(20, ARENITE_16_MEMBERS, m17, m18, m19, m20)
    ARENITE_BIND(21, ARENITE_16_MEMBERS, m17, m18, m19, m20, m21)
    ARENITE_BIND(22, ARENITE_16_MEMBERS, m17, m18, m19, m20, m21, m22)
    ARENITE_BIND(23, ARENITE_16_MEMBERS, m17, m18, m19, m20, m21, m22, m23)
    ARENITE_BIND(24, ARENITE_16_MEMBERS, m17, m18, m19, m20, m21, m22, m23, m24)
    ARENITE_BIND(25, ARENITE_16_MEMBERS, m17, m18, m19, m20, m21, m22, m23, m24, m25)
    ARENITE_BIND(26, ARENITE_16_MEMBERS, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26)
    ARENITE_BIND(27, ARENITE_16_MEMBERS, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27)
    ARENITE_BIND(28, ARENITE_16_MEMBERS, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28)
    ARENITE_BIND(29, ARENITE_16_MEMBERS, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28,
                 m29)
    ARENITE_BIND(30, ARENITE_16_MEMBERS, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28,
                 m29, m30)
    ARENITE_BIND(31, ARENITE_16_MEMBERS, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28,
                 m29, m30, m31)
    ARENITE_BIND(32, ARENITE_16_MEMBERS, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28,
                 m29, m30, m31, m32)
    ARENITE_BIND(33, ARENITE_32_MEMBERS, m33)
    ARENITE_BIND(34, ARENITE_32_MEMBERS, m33, m34)
    ARENITE_BIND(35, ARENITE_32_MEMBERS, m33, m34, m35)
    ARENITE_BIND(36, ARENITE_32_MEMBERS, m33, m34, m35, m36)
    ARENITE_BIND(37, ARENITE_32_MEMBERS, m33, m34, m35, m36, m37)
    ARENITE_BIND(38, ARENITE_32_MEMBERS, m33, m34, m35, m36, m37, m38)
    ARENITE_BIND(39, ARENITE_32_MEMBERS, m33, m34, m35, m36, m37, m38, m39)
    ARENITE_BIND(40, ARENITE_32_MEMBERS, m33, m34, m35, m36, m37, m38, m39, m40)
    ARENITE_BIND(41, ARENITE_32_MEMBERS, m33, m34, m35, m36, m37, m38, m39, m40, m41)
    ARENITE_BIND(42, ARENITE_32_MEMBERS, m33, m34, m35, m36, m37, m38, m39, m40, m41, m42)
    ARENITE_BIND(43, ARENITE_32_MEMBERS, m33, m34, m35, m36, m37, m38, m39, m40, m41, m42, m43)
    ARENITE_BIND(44, ARENITE_32_MEMBERS, m33, m34, m35, m36, m37, m38, m39, m40, m41, m42, m43, m44)
    ARENITE_BIND(45, ARENITE_32_MEMBERS, m33, m34, m35, m36, m37, m38, m39, m40, m41, m42, m43, m44,
                 m45)
    ARENITE_BIND(46, ARENITE_32_MEMBERS, m33, m34, m35, m36, m37, m38, m39, m40, m41, m42, m43, m44,
                 m45, m46)
    ARENITE_BIND(47, ARENITE_32_MEMBERS, m33, m34, m35, m36, m37, m38, m39, m40, m41, m42, m43, m44,
                 m45, m46, m47)
    ARENITE_BIND(48, ARENITE_32_MEMBERS, m33, m34, m35, m36, m37, m38, m39, m40, m41, m42, m43, m44,
                 m45, m46, m47, m48)
#undef ARENITE_BIND
#undef ARENITE_32_MEMBERS
#undef ARENITE_16_MEMBERS
}

namespace detail {

template <class... M>
struct type_list {};

struct list_types {
    template <class... M>
    constexpr type_list<M...> operator()(M&...) const noexcept {
        return {};
    }
};

template <class T>
consteval bool has_base() {
    return requires { T{any_base<T>{}}; };
}

template <class T, std::size_t N>
using bound_types = decltype(bind<N>(std::declval<T&>(), list_types{}));

/// The obstacle, looked for in an order in which each test is safe.
template <class T>
consteval obstacle find_obstacle() {
    if constexpr (!std::is_class_v<T> || !std::is_aggregate_v<T>)
        return obstacle::not_plain;
    else if constexpr (std::is_empty_v<T>)
        return obstacle::empty;
    else if constexpr (has_base<T>())
        return obstacle::base;
    else if constexpr (least<T, any_value<T>>() > max_members)
        return obstacle::reference;
    else if constexpr (constexpr std::size_t count = values<T, any_value<T>>(); count > max_members)
        return obstacle::too_many;
    else if constexpr (has_array<T, count>(std::make_index_sequence<count>{}))
        return obstacle::array;
    else if constexpr (std::is_void_v<bound_types<T, count>>)
        return obstacle::bit_field;
    else
        return obstacle::none;
}

} // namespace detail

template <class T>
inline constexpr obstacle obstacle_of = detail::find_obstacle<T>();

// ---- 3. which of them a member pointer means ----------------------------------------------------

/// Room for a T that is never begun: its members have addresses, and that is all they are used for.
template <class T>
union ghost {
    ghost() noexcept {} // NOLINT(modernize-use-equals-default): a member may have a constructor
    ~ghost() {}         // NOLINT(modernize-use-equals-default): or an end
    T value;

    /// Constant expressions take addresses in it. Where compilers optimise it is nowhere defined.
    static const ghost nowhere;
};
#if !defined(__OPTIMIZE__) // addresses that nothing asks for stay in the program
template <class T>
const ghost<T> ghost<T>::nowhere{};
#endif

namespace detail {

/// Compares addresses of one type only, as constant expressions want it.
template <class A, class B>
constexpr bool is_same_object(const A& a, const B& b) noexcept {
    if constexpr (std::is_same_v<A, B>)
        return std::addressof(a) == std::addressof(b);
    else
        return false;
}

} // namespace detail

/// The place among the N members of T of the one that `member` points to; N where it is none.
template <std::size_t N, class T, class M>
[[nodiscard]] consteval std::size_t index_of(M T::*member) noexcept {
    return bind<N>(ghost<T>::nowhere.value, [member](auto&... m) {
        const auto& wanted = ghost<T>::nowhere.value.*member;
        std::size_t index = 0;
        static_cast<void>((... || (detail::is_same_object(m, wanted) || (++index, false))));
        return index;
    });
}

// ---- 4. what it is called -----------------------------------------------------------------------
namespace detail {

template <class P>
struct named {
    P pointer;
};

/// Ends in "{&...name}", perhaps with parentheses, and in what the compiler says behind it.
template <auto Named>
constexpr std::string_view function_name() noexcept {
#if defined(_MSC_VER) && !defined(__clang__)
    return __FUNCSIG__;
#else
    return __PRETTY_FUNCTION__;
#endif
}

template <class T, std::size_t N, std::size_t K>
inline constexpr auto address_of_member = bind<N>(ghost<T>::nowhere.value, [](auto&... m) {
    const void* const all[]{std::addressof(m)...};
    return named<const void*>{all[K]};
});

constexpr bool is_of_a_name(char c) noexcept {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           static_cast<unsigned char>(c) >= 0x80;
}

/// The last name before the last closing brace.
constexpr std::string_view last_name(std::string_view text) noexcept {
    std::size_t end = text.rfind('}');
    if (end == text.npos)
        return {};
    while (end > 0 && !is_of_a_name(text[end - 1]))
        --end;
    std::size_t begin = end;
    while (begin > 0 && is_of_a_name(text[begin - 1]))
        --begin;
    return text.substr(begin, end - begin);
}

/// Ends in "T = ...]", where T is not named by an alias.
template <class T>
constexpr const char* function_of_type() noexcept {
#if defined(_MSC_VER) && !defined(__clang__)
    return __FUNCSIG__;
#else
    return __PRETTY_FUNCTION__;
#endif
}

constexpr std::string_view last_type(std::string_view text) noexcept {
    const std::size_t begin = text.find("T = ");
    const std::size_t end = text.rfind(']');
    if (begin == text.npos || end == text.npos)
        return {};
    return text.substr(begin + 4, end - begin - 4);
}

} // namespace detail

/// The name of a type as the compiler writes it; empty where it does not say.
template <class T>
inline constexpr std::string_view name_of_type = detail::last_type(detail::function_of_type<T>());

/// The name of the K-th of the N members of T.
template <class T, std::size_t N, std::size_t K>
inline constexpr std::string_view name_of_member =
    detail::last_name(detail::function_name<detail::address_of_member<T, N, K>>());

/// The name of the member that the pointer points to.
template <auto Member>
inline constexpr std::string_view name_of_pointer =
    detail::last_name(detail::function_name<detail::named<decltype(Member)>{Member}>());

#if defined(__clang__)
#pragma clang diagnostic pop
#endif

} // namespace aggregate
} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
