// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <deque>
#include <forward_list>

namespace container_suite {

/// False where the standard library itself goes wrong, with any allocator: when an element throws
/// while it is copied, libc++ 16 leaks those of a deque, and walks along a link of a forward_list
/// that it has not yet written; libc++ 22 leaks those of containers with a hash, too.
template <class Container>
inline constexpr bool copies_may_throw = true;
#ifdef _LIBCPP_VERSION
template <class T, class Allocator>
inline constexpr bool copies_may_throw<std::forward_list<T, Allocator>> = false;
template <class T, class Allocator>
inline constexpr bool copies_may_throw<std::deque<T, Allocator>> = false;
template <class Container>
    requires(_LIBCPP_VERSION >= 220000 && requires { typename Container::hasher; })
inline constexpr bool copies_may_throw<Container> = false;
#endif

} // namespace container_suite
