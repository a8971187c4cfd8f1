// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// True for the nodes of libstdc++'s trees (set, map) and hash tables.
///
/// libstdc++ 12 forgets the allocator of a node handle whose node is inserted: insertion sets the
/// handle's `_M_ptr` to nullptr, and its destructor ends the allocator, which lies in a union
/// (`_Optional_alloc`), only where `_M_ptr` is set. An allocator that counts its copies would count
/// that one for ever. No other copy is made of an allocator of these two types of nodes, but by
/// moving it, so an allocator knows by its type that it is made for a handle.
template <class T>
[[nodiscard]] consteval bool is_libstdcxx_node() {
    return requires(T& node) {
        node._M_valptr();
        node._M_color;
    } || requires(T& node) {
        node._M_valptr();
        node._M_v();
    };
}

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
