// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>

namespace arenite {
inline namespace ARENITE_ABI {

/// Who says how long an allocation is when it is freed. What the second costs the resource tells.
enum class sizes {
    known, ///< the caller passes the size to deallocate (sized delete, std::pmr, STL allocators)
    kept   ///< also the resource: size_of(p) and deallocate(p) work
};

} // namespace ARENITE_ABI
} // namespace arenite
