/* SPDX-FileCopyrightText: 2026 The Arenite authors */
/* SPDX-License-Identifier: MIT */

/* Forks while other threads allocate; the child allocates much, and starts threads. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define KEPT 500

static atomic_int stop;

static unsigned next(unsigned* seed) {
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

static void churn(unsigned seed, int rounds) {
    void* all[KEPT] = {0};
    for (int i = 0; i < rounds; ++i) {
        unsigned k = next(&seed) % KEPT;
        free(all[k]);
        size_t n = next(&seed) % 100 != 0 ? next(&seed) % 2000 : next(&seed) % 200000;
        all[k] = malloc(n);
        memset(all[k], 1, n < 100 ? n : 100);
    }
    for (int k = 0; k < KEPT; ++k)
        free(all[k]);
}

static void* until_stopped(void* seed) {
    while (!stop)
        churn((unsigned)(size_t)seed, 5000);
    return NULL;
}

static void* once(void* seed) {
    churn((unsigned)(size_t)seed, 5000);
    return NULL;
}

static void be_a_child(int number) {
    alarm(60);
    churn((unsigned)number, 3000);
    pthread_t t[2];
    for (size_t i = 0; i < 2; ++i)
        pthread_create(&t[i], 0, once, (void*)i);
    for (int i = 0; i < 2; ++i)
        pthread_join(t[i], 0);
    if (number % 10 == 0 && fork() == 0)
        churn((unsigned)number, 100);
    _exit(0);
}

int main(void) {
    pthread_t t[4];
    for (size_t i = 0; i < 4; ++i)
        pthread_create(&t[i], 0, until_stopped, (void*)i);
    for (int number = 0; number < 60; ++number) {
        pid_t child = fork();
        if (child == 0)
            be_a_child(number);
        int status = 1;
        waitpid(child, &status, 0);
        if (status != 0) {
            dprintf(2, "child %d ended with status %x\n", number, (unsigned)status);
            _exit(1);
        }
    }
    stop = 1;
    for (int i = 0; i < 4; ++i)
        pthread_join(t[i], 0);
    return 0;
}
