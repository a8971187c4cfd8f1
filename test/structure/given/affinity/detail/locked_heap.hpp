// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
#include <arenite/affinity/detail/thread_heap.hpp>

#include <cstddef>

using arenite::detail::locked_heap;
extern arenite::detail::thread_heap& h;
extern void* p;
extern std::size_t bytes, alignment;
