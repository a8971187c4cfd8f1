// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>
#include <arenite/core/member_list.hpp> // IWYU pragma: export

namespace arenite {
inline namespace ARENITE_ABI {

/// The members of T, told by hand. A plain struct needs none: its members are found.
///
///     template <> struct arenite::describe<body> {
///         using members = arenite::member_list<&body::position, &body::mass>;
///     };
///
/// Use when:  T has constructors, a base with data, or more members than are found by themselves;
///            for private ones T says `friend struct arenite::describe<T>;`.
/// Limits:    no C array, for which there is std::array; no reference and no bit-field, which C++
///            has no pointers to.
/// Misuse:    what is not listed is no part of a record: columns keep what is listed and nothing
///            else. A member that is listed twice does not compile.
///
/// Where a T is made of its members it is default-constructed and each is assigned, or begun by
/// `static T make(M...)` of this class, where there is one: for members that are const, or a T
/// that has no default.
template <class T>
struct describe {};

} // namespace ARENITE_ABI
} // namespace arenite
