// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>

namespace arenite {
inline namespace ARENITE_ABI {

/// Pointers to the data members of a class, in an order: what a describe<T> says.
template <auto... Members>
struct member_list {};

} // namespace ARENITE_ABI
} // namespace arenite
