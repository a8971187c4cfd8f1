// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>
#include <arenite/core/member_list.hpp> // IWYU pragma: export

namespace arenite {
inline namespace ARENITE_ABI {

/// Lists the members of T by hand. A plain struct needs none: its members are found automatically.
///
///     template <> struct arenite::describe<body> {
///         using members = arenite::member_list<&body::position, &body::mass>;
///     };
///
/// Use when:  T has constructors, a base with data, or more members than can be found
///            automatically; for private members T declares `friend struct arenite::describe<T>;`.
/// Limits:    no C arrays (use std::array); no references or bit-fields, to which C++ has no member
///            pointers.
/// Misuse:    a member that is not listed is not part of a record: columns store what is listed and
///            nothing else. A member that is listed twice does not compile.
///
/// To make a T from its members, it is default-constructed and each is assigned, or `static T
/// make(M...)` of this class is called, if there is one: for members that are const, or a T without
/// a default constructor.
template <class T>
struct describe {};

} // namespace ARENITE_ABI
} // namespace arenite
