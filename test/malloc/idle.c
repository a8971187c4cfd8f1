// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Memory goes back while the program makes few calls; one that wants it again does not fault again.
#define _GNU_SOURCE
#include "check.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { objects = 300000, bytes = 200, kept = 100 }; /* frees outlast what is watched at once */

static size_t resident(void) {
    long all = 0, now = 0;
    FILE* const f = fopen("/proc/self/statm", "r");
    CHECK(f != NULL && fscanf(f, "%ld %ld", &all, &now) == 2);
    fclose(f);
    return (size_t)now * (size_t)sysconf(_SC_PAGESIZE);
}

static void* fill_and_free(void* of_kept) {
    static __thread char* all[objects];
    for (int i = 0; i < objects; ++i) {
        all[i] = malloc(bytes);
        memset(all[i], i, bytes);
    }
    for (int i = 0; i < objects; ++i)
        if (of_kept == NULL || i % kept != 0)
            free(all[i]);
        else
            ((char**)of_kept)[i / kept] = all[i];
    return NULL;
}

/// As a server that waits: a few small objects, twenty times a second.
static void tick(void) {
    for (int i = 0; i < 4; ++i)
        free(malloc(24));
    usleep(50000);
}

static void goes_back(int in_a_thread) {
    static char* left[objects / kept];
    if (in_a_thread) {
        pthread_t thread;
        CHECK(pthread_create(&thread, NULL, fill_and_free, left) == 0);
        pthread_join(thread, NULL);
    } else {
        fill_and_free(left);
    }
    const size_t before = resident();
    for (int i = 0; i < 600 && resident() > before - (24u << 20); ++i)
        tick();
    printf("%zu kB resident, then %zu kB\n", before >> 10, resident() >> 10);
    CHECK(resident() <= before - (24u << 20));
    for (int i = 0; i < objects / kept; ++i) {
        CHECK(left[i][bytes - 1] == (char)(i * kept));
        free(left[i]);
    }
}

static long now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/// Rounds that follow each other within the second for which memory waits: where the machine is so
/// busy that they do not, the count begins anew.
static void does_not_fault_again(void) {
    enum { rounds = 10, counted = 6 };
    struct rusage begin, end;
    const long give_up = now_ms() + 30000;
    int quick = 0;
    while (quick < rounds && now_ms() < give_up) {
        const long at_first = now_ms();
        if (quick == rounds - counted)
            getrusage(RUSAGE_SELF, &begin);
        fill_and_free(NULL);
        usleep(200000);
        quick = now_ms() - at_first < 800 ? quick + 1 : 0;
    }
    if (quick < rounds) {
        printf("too busy to tell whether memory is faulted in again\n");
        return;
    }
    getrusage(RUSAGE_SELF, &end);
    printf("%ld page faults in six rounds of 60 MB\n", end.ru_minflt - begin.ru_minflt);
    CHECK(end.ru_minflt - begin.ru_minflt < counted * 15000 / 4);
}

int main(void) {
    goes_back(0);
    goes_back(1);
    does_not_fault_again();
    return bad;
}
