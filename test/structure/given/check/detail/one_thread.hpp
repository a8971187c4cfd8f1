// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/check/detail/one_thread.hpp>

using arenite::detail::one_thread;
inline int my = 0;
