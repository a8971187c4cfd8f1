// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/core/config.hpp>

// Checked and unchecked code do not link, nor does the one load into the other: the names differ.
// So that the message says why, whoever is compiled against a resource refers to a name that the
// library has only if it is built alike, and that is a sentence. It is data: it is looked up when a
// plug-in is loaded, also where functions are looked up later, at their first calls.
#if ARENITE_PRIVATE && ARENITE_CHECKS
#define ARENITE_SAME_BUILD                                                                         \
    there_is_no_arenite_library_here_that_is_built_with_ARENITE_PRIVATE_and_CHECKS_as_this_is
#elif ARENITE_PRIVATE
#define ARENITE_SAME_BUILD                                                                         \
    there_is_no_arenite_library_here_that_is_built_with_ARENITE_PRIVATE_as_this_module_is
#elif ARENITE_CHECKS
#define ARENITE_SAME_BUILD                                                                         \
    there_is_no_arenite_library_here_that_is_built_with_ARENITE_CHECKS_as_this_module_is
#else
#define ARENITE_SAME_BUILD                                                                         \
    there_is_no_arenite_library_here_that_is_built_without_ARENITE_CHECKS_as_this_module_is
#endif

#if !ARENITE_IS_MALLOC // whose parts are always built together
extern "C" ARENITE_VISIBLE const char ARENITE_SAME_BUILD;

namespace arenite {
inline namespace ARENITE_ABI {
namespace detail {

#if defined(__GNUC__) && defined(_WIN32)
[[gnu::used]]
#elif defined(__GNUC__)
[[gnu::used, gnu::visibility("hidden")]]
#endif
inline const char* const same_build = &ARENITE_SAME_BUILD;

} // namespace detail
} // namespace ARENITE_ABI
} // namespace arenite
#endif
