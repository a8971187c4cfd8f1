/* SPDX-FileCopyrightText: 2026 The Arenite authors */
/* SPDX-License-Identifier: MIT */

/* Forks while other threads read lines, which allocate with their stream's lock held, and flush all
   streams, which waits for that lock with the list's held. The child uses streams, too. Before
   that, a handler that forks amid the flush of the only thread. */
#define _GNU_SOURCE
#include "check.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { line = 200000, forks = 150, readers = 4 };

static atomic_int stop;
static char* text;

static void read_once(void) {
    FILE* const from = fmemopen(text, line, "r");
    char* read = NULL;
    size_t room = 0;
    CHECK(from != NULL && getline(&read, &room, from) == line - 1);
    free(read);
    fclose(from);
}

static void* reads(void* unused) {
    while (!stop)
        read_once();
    return unused;
}

static void* flushes(void* unused) {
    while (!stop)
        fflush(NULL);
    return unused;
}

/* Beside a thread of its own. */
static void be_a_child(void) {
    alarm(60);
    pthread_t t;
    stop = 0;
    pthread_create(&t, NULL, flushes, NULL);
    for (int i = 0; i < 5; ++i)
        read_once();
    stop = 1;
    pthread_join(t, NULL);
    _exit(bad);
}

static pid_t amid_flush = -1;

static void fork_amid_flush(int number) {
    (void)number;
    amid_flush = fork();
}

static ssize_t write_and_fork(void* to, const char* from, size_t bytes) {
    (void)to, (void)from;
    if (amid_flush < 0)
        raise(SIGUSR1); /* fflush(NULL) holds the list */
    return (ssize_t)bytes;
}

static void* opens(void* unused) {
    for (int i = 0; i < 10; ++i)
        read_once();
    return unused;
}

/* The child goes on with what the handler had interrupted, and then has a thread beside. */
static void a_handler_forks_amid_a_flush(void) {
    signal(SIGUSR1, fork_amid_flush);
    FILE* const to = fopencookie(NULL, "w", (cookie_io_functions_t){.write = write_and_fork});
    CHECK(to != NULL && fputs("text", to) >= 0);
    fflush(NULL);
    CHECK(amid_flush >= 0);
    if (amid_flush != 0) {
        int status = 1;
        CHECK(waitpid(amid_flush, &status, 0) == amid_flush && status == 0);
        fclose(to);
        return;
    }
    alarm(20);
    read_once(); /* takes the list and gives it up */
    pthread_t t;
    CHECK(pthread_create(&t, NULL, opens, NULL) == 0);
    pthread_join(t, NULL);
    _exit(bad);
}

int main(void) {
    text = malloc(line);
    memset(text, 'a', line);
    text[line - 2] = '\n';
    text[line - 1] = '\0';
    a_handler_forks_amid_a_flush();
    pthread_t t[readers + 1];
    for (int i = 0; i < readers; ++i)
        pthread_create(&t[i], NULL, reads, NULL);
    pthread_create(&t[readers], NULL, flushes, NULL);
    for (int i = 0; i < forks; ++i) {
        const pid_t child = fork();
        if (child == 0)
            be_a_child();
        int status = 1;
        CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
    }
    stop = 1;
    for (int i = 0; i <= readers; ++i)
        pthread_join(t[i], NULL);
    return bad;
}
