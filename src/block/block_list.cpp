// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// The tree of blocks by address, instantiated once for the library: see address_list.
#include <arenite/block/detail/block_list.hpp>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

template class address_list<block>;

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
