// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
// expected: one of them is a reference
#include <arenite/soa/records.hpp>

struct row {
    int key;
#ifdef MUST_FAIL
    int& other;
#else
    int* other;
#endif
};

arenite::records<row> rows;
