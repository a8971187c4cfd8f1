/* SPDX-FileCopyrightText: 2026 The Arenite authors */
/* SPDX-License-Identifier: MIT */

/* A program that closes its standard error before it ends, as those of coreutils do. */
#include <stdlib.h>
#include <unistd.h>

static void* kept;
static void close_all(void) {
    close(STDOUT_FILENO);
    close(STDERR_FILENO);
}

int main(void) {
    kept = malloc(1000);
    return kept == NULL || atexit(close_all) != 0;
}
