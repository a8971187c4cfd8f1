// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
// expected: this.size.does.not.fit.std.+size_t
#include <arenite/core/literals.hpp>

using namespace arenite::literals;

int main() {
#ifdef MUST_FAIL
    return 16777216_TiB == 0;
#else
    return 16777215_TiB == 0;
#endif
}
