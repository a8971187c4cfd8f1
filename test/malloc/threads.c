/* SPDX-FileCopyrightText: 2026 The Arenite authors */
/* SPDX-License-Identifier: MIT */

/* Many short threads, whose thread-specific objects allocate and free as they end: what is resident
 * stops growing. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KEYS 40

static pthread_key_t keys[KEYS];

static void ends(void* p) {
    free(p);
    void* q = malloc(300);
    memset(q, 1, 300);
    free(q);
}

static void* work(void* given) {
    void* all[300];
    for (size_t k = 0; k < KEYS; k += 3)
        pthread_setspecific(keys[k], malloc(100 + k));
    for (size_t i = 0; i < 300; ++i)
        all[i] = calloc(1, 16 + i * 3);
    for (size_t i = 0; i < 300; ++i)
        free(all[i]);
    free(given);
    return malloc(77);
}

static long resident_kib(void) {
    long all = 0, resident = 0;
    FILE* f = fopen("/proc/self/statm", "r");
    if (f == NULL || fscanf(f, "%ld %ld", &all, &resident) != 2)
        exit(2);
    fclose(f);
    return resident * 4;
}

static void rounds(int count) {
    for (int round = 0; round < count; ++round) {
        pthread_t t[4];
        void* made;
        for (int i = 0; i < 4; ++i)
            pthread_create(&t[i], 0, work, malloc(50));
        for (int i = 0; i < 4; ++i) {
            pthread_join(t[i], &made);
            free(made);
        }
    }
}

/* How many threads overlap depends on how busy the machine is: where more do than ever before, one
   more block is in use from then on. What is lost by each thread grows every time. */
int main(void) {
    for (int k = 0; k < KEYS; ++k)
        pthread_key_create(&keys[k], ends);
    rounds(400);
    for (int more_than_before = 0; more_than_before < 4; ++more_than_before) {
        const long before = resident_kib();
        rounds(1600);
        const long now = resident_kib();
        if (now <= before + 2000)
            return 0;
        fprintf(stderr, "%ld KiB were resident, then %ld\n", before, now);
    }
    return 1;
}
