/* SPDX-FileCopyrightText: 2026 The Arenite authors */
/* SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stdlib.h>

static void* allocate(void* unused) {
    void* all[200];
    for (int i = 0; i < 200; ++i)
        all[i] = malloc((size_t)(i * 10 + 1));
    for (int i = 0; i < 200; ++i)
        free(all[i]);
    return unused;
}

static void wait_for_a_thread(void) {
    pthread_t t;
    if (pthread_create(&t, 0, allocate, 0) == 0)
        pthread_join(t, 0);
}

__attribute__((constructor)) static void begin(void) { wait_for_a_thread(); }
__attribute__((destructor)) static void end(void) { wait_for_a_thread(); }
