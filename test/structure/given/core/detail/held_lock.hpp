// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/core/detail/held_lock.hpp>

#include <mutex>

using arenite::detail::held_lock;
inline std::mutex mutex;
