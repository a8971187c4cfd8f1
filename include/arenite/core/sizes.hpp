// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>

namespace arenite {
inline namespace ARENITE_ABI {

/// Who provides the size of an allocation when it is freed. Each resource documents what `kept`
/// costs.
enum class sizes {
    known, ///< the caller passes the size to deallocate (sized delete, std::pmr, STL allocators)
    kept   ///< the resource knows it as well: size_of(p) and deallocate(p) work
};

} // namespace ARENITE_ABI
} // namespace arenite
