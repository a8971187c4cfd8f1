// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
// expected: can be copied, or that move without throwing
#include <arenite/soa/records.hpp>

struct body {
    body() = default;
#ifdef MUST_FAIL
    body(body&&) {}
#else
    body(body&&) noexcept {}
#endif
    float mass = 1;
};
struct row {
    body held;
};

arenite::records<row> rows;
