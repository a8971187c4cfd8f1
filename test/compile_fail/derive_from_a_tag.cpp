// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
// expected: final
#include <arenite/affinity/affine.hpp>

// Derived from the tag itself, its objects would lie where those of any class lie.
#ifdef MUST_FAIL
class mesh : public arenite::affinities::data {};
#else
class mesh : public arenite::affine<arenite::affinities::data> {};
#endif
