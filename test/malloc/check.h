/* SPDX-FileCopyrightText: 2026 The Arenite authors */
/* SPDX-License-Identifier: MIT */
#ifndef ARENITE_TEST_MALLOC_CHECK_H
#define ARENITE_TEST_MALLOC_CHECK_H

#include <stdio.h>

/* Says what does not hold; main returns `bad`. */
static int bad;
#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                \
            bad = 1;                                                                               \
        }                                                                                          \
    } while (0)

#endif
