// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>

namespace arenite {
inline namespace ARENITE_ABI {

/// Who provides the size of an allocation when it is freed. Each resource documents what `kept`
/// costs.
enum class sizes {
    given, ///< the caller gives the size to deallocate (sized delete, std::pmr, STL allocators)
    kept,  ///< the resource keeps it as well: size_of(p) and deallocate(p) work
    known [[deprecated("it is called sizes::given now")]] = given ///< the former name, until 1.0
};

} // namespace ARENITE_ABI
} // namespace arenite
