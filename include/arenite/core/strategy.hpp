// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>
#include <arenite/core/resource_base.hpp>

namespace arenite {
inline namespace ARENITE_ABI {

/// The former name of resource_base, until 1.0.
template <class Derived>
using strategy [[deprecated("it is called arenite::resource_base now")]] = resource_base<Derived>;

} // namespace ARENITE_ABI
} // namespace arenite
