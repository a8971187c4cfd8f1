// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT
// expected: a member of this type is a bit-field, which has no address
#include <arenite/soa/records.hpp>

struct row {
    int key;
#ifdef MUST_FAIL
    unsigned flag : 1;
#else
    unsigned flag;
#endif
};

arenite::records<row> rows;
