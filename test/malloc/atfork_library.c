/* SPDX-FileCopyrightText: 2026 The Arenite authors */
/* SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stdlib.h>

#define MOST 3000

static void* kept[MOST];
static int called;

static void prepare(void) {
    ++called;
    for (int i = 0; i < MOST; ++i)
        kept[i] = malloc((size_t)(64 + i % 1000 * 16));
    free(malloc(3000000));
}

static void after(void) {
    ++called;
    for (int i = 0; i < MOST; ++i)
        free(kept[i]);
}

__attribute__((constructor)) static void begin(void) { pthread_atfork(prepare, after, after); }

int handlers_called(void) { return called; }
