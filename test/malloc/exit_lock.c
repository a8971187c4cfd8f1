/* SPDX-FileCopyrightText: 2026 The Arenite authors */
/* SPDX-License-Identifier: MIT */

/* The first malloc of a program may come from within atexit, which needs more room from its 33rd
 * function on and holds a lock then. */
#include <stdlib.h>
#include <unistd.h>

static int left = 100;

static void count(void) {
    if (--left == 0)
        _exit(0);
}

int main(void) {
    alarm(30);
    for (int i = 0; i < 100; ++i)
        if (atexit(count) != 0)
            return 2;
    return 1;
}
