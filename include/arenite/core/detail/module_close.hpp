// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>

// A function that runs when the module that it is in is closed, or when the process ends: on ELF
// last of all that the library does, after the destructors of the module's objects.
#if defined(__ELF__) && !ARENITE_IS_MALLOC // which is never closed
#define ARENITE_HAS_MODULE_CLOSE 1
#define ARENITE_AT_MODULE_CLOSE [[gnu::destructor(101)]]
#elif defined(__GNUC__)
#define ARENITE_HAS_MODULE_CLOSE 0
#define ARENITE_AT_MODULE_CLOSE [[gnu::destructor]]
#else // this compiler has none
#define ARENITE_HAS_MODULE_CLOSE 0
#define ARENITE_AT_MODULE_CLOSE
#endif

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

/// Tells a plug-in that is closed, with the library inside, from a process that ends.
///
///     process ends    exit handlers | functions of modules that run at their end
///     dlclose                         functions of the module | its exit handlers | the last ones
///
/// Memory that the library took from the system goes back only in the one that is closed: where the
/// process ends, other threads and later destructors may still use it.
///
/// Threads:   the one that closes. No other that used the library may be ending meanwhile: the
///            destructor of its key may be on its way, which nobody can wait for.
class module_close {
public:
    /// For functions marked ARENITE_AT_MODULE_CLOSE: true where the process goes on.
    [[nodiscard]] static bool goes_on() noexcept;
};

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
