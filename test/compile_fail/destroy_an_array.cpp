// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
// expected: destroy takes one object
#include <arenite/core/create.hpp>
#include <arenite/core/system_resource.hpp>

int main() {
#ifdef MUST_FAIL
    using objects = int[4];
#else
    using objects = int;
#endif
    objects* p = nullptr;
    arenite::destroy(arenite::system_resource(), p);
}
