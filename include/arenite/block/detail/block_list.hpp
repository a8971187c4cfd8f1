// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/block/detail/address_list.hpp>
#include <arenite/block/detail/block.hpp>
#include <arenite/core/config.hpp>

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

extern template class address_list<block>;

/// An owner's blocks in address order, linked through their heads.
using block_list = address_list<block>;

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
