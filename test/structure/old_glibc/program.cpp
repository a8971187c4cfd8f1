// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// With the headers of a glibc before 2.32, which may be those of a newer one that refuse.
#include <arenite/core/detail/spin_lock.hpp>

#if __GLIBC_PREREQ(2, 32) || ARENITE_KNOWS_SINGLE_THREADS
#error "not compiled as with an older glibc"
#endif
