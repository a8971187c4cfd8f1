/* SPDX-FileCopyrightText: 2026 The Arenite authors */
/* SPDX-License-Identifier: MIT */

/* A signal's handler forks, whatever the signal interrupted: malloc, free, a fork. */
#define _GNU_SOURCE
#include "check.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { wanted = 200 };
static volatile sig_atomic_t forked;

static void fork_once(int number) {
    (void)number;
    const pid_t child = fork();
    if (child == 0)
        _exit(7);
    int status = 0;
    while (waitpid(child, &status, 0) != child)
        ;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 7)
        ++forked;
}

/* Before the other handlers of the fork take all locks, and when they have given them up. */
static void interrupt(void) {
    static volatile sig_atomic_t is_within; /* the compiler knows raise */
    if (is_within++ == 0)
        raise(SIGUSR1);
    --is_within;
}

static void amid_forks(void) {
    CHECK(pthread_atfork(interrupt, interrupt, NULL) == 0);
    forked = 0;
    for (int i = 0; i < 20; ++i) {
        const pid_t child = fork();
        if (child == 0) {
            alarm(20);
            for (int k = 0; k < 1000; ++k)
                free(malloc((size_t)(k * 30)));
            _exit(forked != 2 * i + 1);
        }
        int status = 1;
        CHECK(waitpid(child, &status, 0) == child && status == 0);
    }
    CHECK(forked == 40);
}

static void amid_calls(void) {
    forked = 0;
    static void* all[5000];
    int seen = -1;
    for (unsigned i = 0, x = 1; forked < wanted; ++i) {
        if (forked != seen) {
            seen = forked;
            const struct itimerval soon = {{0, 0}, {0, 100 + seen * 3}};
            setitimer(ITIMER_REAL, &soon, NULL);
        }
        x = x * 1664525u + 1013904223u;
        const unsigned k = (x >> 8) % 5000;
        free(all[k]);
        all[k] = malloc(x >> 12 & (i % 64 == 0 ? 0xfffff : 0x3fff));
        CHECK(all[k] != NULL);
    }
    for (int i = 0; i < 5000; ++i)
        free(all[i]);
}

int main(void) {
    struct sigaction action = {.sa_handler = fork_once, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(SIGALRM, &action, NULL);
    sigaction(SIGUSR1, &action, NULL);
    free(malloc(1));
    amid_calls();
    amid_forks();
    return bad;
}
