// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#pragma once

#include <arenite/check/detail/poison.hpp>

// 1 where a test may limit the address space of a child process: sanitizers and Valgrind have
// memory of their own that the limit would take away, and Windows has none.
#if defined(_WIN32) || ARENITE_HAS_ASAN || ARENITE_HAS_MSAN || ARENITE_HAS_TSAN ||                 \
    ARENITE_HAS_VALGRIND
#define LIMITS_CAN_BE_TESTED 0
#else
#define LIMITS_CAN_BE_TESTED 1
#endif
