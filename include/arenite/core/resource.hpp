// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>

#include <memory_resource>

namespace arenite {
inline namespace ARENITE_ABI {

/// The interface of every allocator here, and the one place that names it: a platform without
/// <memory_resource> is one edit.
using resource = std::pmr::memory_resource;

} // namespace ARENITE_ABI
} // namespace arenite
