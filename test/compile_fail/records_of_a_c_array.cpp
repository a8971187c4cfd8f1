// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
// expected: a member of this type is a C array; use std::array
#include <arenite/soa/records.hpp>

#include <array>

struct row {
    int key;
#ifdef MUST_FAIL
    float values[3];
#else
    std::array<float, 3> values;
#endif
};

arenite::records<row> rows;
