// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// The name that programs built like this library refer to: see same_build.hpp. Its value is never
// read: that it can be found says that checks and ABI are those of the program.
#include <arenite/core/detail/same_build.hpp>

#if !ARENITE_IS_MALLOC
const char ARENITE_SAME_BUILD = 1;
#endif
