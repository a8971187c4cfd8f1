// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
// expected: (cannot derive from 'final' base|marked 'final')
#include <arenite/core/system_resource.hpp>

#ifdef MUST_FAIL
class mine : public arenite::malloc_resource {};
#else
class mine : public arenite::resource_base<mine> {};
#endif

int main() {}
