// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Memory goes back while the program makes few calls; one that wants it again does not fault again.
// The time that passes is the test's: the library asks for it by clock_gettime, the one here.
#define _GNU_SOURCE
#include "check.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { objects = 300000, bytes = 200, kept = 100 }; /* frees outlast what is watched at once */

static atomic_llong now_us = 1000000000;
static atomic_int asked;

int clock_gettime(clockid_t clock, struct timespec* to) {
    if (clock != CLOCK_MONOTONIC && clock != CLOCK_MONOTONIC_COARSE)
        return (int)syscall(SYS_clock_gettime, clock, to);
    const long long now = now_us;
    to->tv_sec = now / 1000000;
    to->tv_nsec = now % 1000000 * 1000;
    ++asked;
    return 0;
}

static void pass_ms(int ms) { now_us += ms * 1000; }

/* Without a call of malloc. */
static size_t resident(void) {
    long all = 0, now = 0;
    char text[100] = "";
    const int f = open("/proc/self/statm", O_RDONLY);
    CHECK(f >= 0 && read(f, text, sizeof text - 1) > 0);
    CHECK(sscanf(text, "%ld %ld", &all, &now) == 2);
    close(f);
    return (size_t)now * (size_t)sysconf(_SC_PAGESIZE);
}

/* Takes about as long as it would: 60 ms. */
static void* fill_and_free(void* of_kept) {
    static __thread char* all[objects];
    for (int i = 0; i < objects; ++i) {
        all[i] = malloc(bytes);
        memset(all[i], i, bytes);
        now_us += i % 10 == 0;
    }
    for (int i = 0; i < objects; ++i) {
        now_us += i % 10 == 0;
        if (of_kept == NULL || i % kept != 0)
            free(all[i]);
        else
            ((char**)of_kept)[i / kept] = all[i];
    }
    return NULL;
}

/* As a server that waits: a few small objects, twenty times a second, whose slots are those that
   were freed: no call is a slow one. Each may be a step of a return, and what waited makes up for
   the time in between: two and a half seconds do. */
enum { most_ticks = 50 };
static void tick(int ms) {
    for (int i = 0; i < 4; ++i)
        free(malloc(bytes));
    pass_ms(ms);
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
    for (int i = 0; i < 600; ++i)
        tick(0);
    CHECK(resident() + (8u << 20) > before); /* no time has passed */
    int ticks = 0;
    while (ticks < most_ticks && resident() > before - (24u << 20)) {
        tick(50);
        ++ticks;
    }
    printf("%zu kB resident, then %zu kB after %d ticks\n", before >> 10, resident() >> 10, ticks);
    CHECK(resident() <= before - (24u << 20));
    for (int i = 0; i < objects / kept; ++i) {
        CHECK(left[i][bytes - 1] == (char)(i * kept));
        free(left[i]);
    }
}

static char* all[objects];

/* Of many sizes and in no order. */
static void fill_at_random(void) {
    unsigned random = 1;
    for (int i = 0; i < objects; ++i) {
        random = random * 1664525 + 1013904223;
        const size_t size = 16 + (random >> 8) % 185;
        all[i] = malloc(size);
        memset(all[i], i, size);
    }
    for (unsigned i = objects - 1; i > 0; --i) {
        random = random * 1664525 + 1013904223;
        const unsigned other = (unsigned)((unsigned long long)random * (i + 1) >> 32);
        char* const from = all[i];
        all[i] = all[other];
        all[other] = from;
    }
}

/* All that was called last was quick: frees alone, and then ticks. With pairs of calls, these come
   between two falls: the thread has stopped to look when the second one begins. */
static void goes_back_after_frees_alone(int pairs) {
    fill_at_random();
    const int first = objects / 100 * 45;
    for (int i = first; i < objects; ++i)
        free(all[i]);
    for (int i = 0; i < pairs; ++i)
        free(malloc(64));
    for (int i = objects / kept; i < first; ++i)
        free(all[i]);
    const size_t before = resident();
    int ticks = 0;
    for (; ticks < most_ticks && resident() > before - (12u << 20); ++ticks)
        tick(50);
    printf("%zu kB resident, then %zu kB after %d ticks\n", before >> 10, resident() >> 10, ticks);
    CHECK(resident() <= before - (12u << 20));
    for (int i = 0; i < objects / kept; ++i)
        free(all[i]);
}

/* After a quick run of frees the program only frees what is old, four objects a second: none of the
   slabs that it would allocate from. */
static void goes_back_while_only_old_objects_are_freed(void) {
    for (int i = 0; i < 2; ++i) { /* it is no young process, and has just been looked at */
        free(malloc(8u << 20));
        pass_ms(700);
    }
    free(malloc(8u << 20));
    for (int i = 0; i < objects; ++i)
        memset(all[i] = malloc(bytes), i, bytes);
    for (int i = 0; i < objects; ++i)
        if (i % kept != 0)
            free(all[i]);
    const size_t before = resident();
    int old = 0;
    for (; old < most_ticks && resident() > before - (12u << 20); ++old) {
        free(all[(size_t)old * 7919 % (objects / kept) * kept]); /* scattered */
        pass_ms(250);
    }
    printf("%zu kB resident, then %zu kB after %d frees\n", before >> 10, resident() >> 10, old);
    CHECK(resident() <= before - (12u << 20));
}

/* A thread that allocates nothing, and so has no heap: it frees what others made. */
static void* free_large_then_small(void* of_count) {
    const int count = *(int*)of_count;
    for (int i = 0; i < count; ++i)
        free(all[i]);
    for (int i = 0; i < 4 * most_ticks; ++i) {
        free(all[count + i]);
        pass_ms(50);
    }
    return NULL;
}

static void goes_back_where_a_thread_frees_others(int count, void* (*as)(void*)) {
    free(malloc(bytes));
    pass_ms(700);
    for (int i = 0; i < count + 4 * most_ticks; ++i) {
        const size_t size = i < count ? 200000 : bytes;
        memset(all[i] = malloc(size), i, size);
    }
    const size_t before = resident();
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, as, &count) == 0);
    pthread_join(thread, NULL);
    const size_t after = resident();
    printf("%zu kB resident, then %zu kB\n", before >> 10, after >> 10);
    CHECK(after <= before - (36u << 20));
}

/* The same, but that it has a heap of its own afterwards, in which it makes a few calls. */
static void* free_large_then_tick(void* of_count) {
    for (int i = 0; i < *(int*)of_count; ++i)
        free(all[i]);
    for (int i = 0; i < most_ticks; ++i)
        tick(50);
    return NULL;
}

static void goes_back_from_between_large_objects(int count, int pairs) {
    free(malloc(bytes));
    pass_ms(700);
    for (int i = 0; i < count; ++i)
        memset(all[i] = malloc(200000), i, 200000);
    const size_t before = resident();
    for (int i = 0; i < count; ++i)
        if (i % 8 != 0)
            free(all[i]);
    pass_ms(3000);
    for (int i = 0; i < pairs; ++i)
        free(malloc(64));
    int ticks = 0;
    for (; ticks < 10 * most_ticks && resident() > before - (36u << 20); ++ticks)
        tick(50);
    const size_t after = resident();
    printf("%zu kB resident, then %zu kB after %d ticks\n", before >> 10, after >> 10, ticks);
    CHECK(after <= before - (36u << 20));
}

/* After frees of large objects alone, or where all became shorter: what waits goes, too. With pairs
   of calls behind them the thread has stopped to look when the time comes. */
static void goes_back_after_large_objects(size_t least, int count, size_t shorter, int pairs) {
    const size_t given_back = shorter == 0 ? 36u << 20 : 24u << 20;
    free(malloc(bytes));                      /* as any program has some small ones, too */
    for (int round = 0; round < 2; ++round) { /* the process is young in the first */
        for (int i = 0; i < count; ++i) {
            const size_t size = least + (size_t)i % 7 * 4096;
            memset(all[i] = malloc(size), i, size);
        }
        const size_t before = resident();
        for (int i = 0; i < count; ++i)
            if (shorter != 0)
                all[i] = realloc(all[i], shorter);
            else
                free(all[i]);
        for (int i = 0; i < pairs; ++i)
            free(malloc(64));
        int ticks = 0;
        for (; ticks < 10 * most_ticks && resident() > before - given_back; ++ticks)
            tick(50);
        const size_t after = resident(); /* before printf, which calls malloc */
        printf("%zu kB resident, then %zu kB after %d ticks\n", before >> 10, after >> 10, ticks);
        CHECK(after <= before - given_back);
        for (int i = 0; i < count && shorter != 0; ++i)
            free(all[i]);
        pass_ms(700);
    }
}

/* Rounds that follow each other within the second for which memory waits. */
static void does_not_fault_again(void) {
    enum { rounds = 10, counted = 6 };
    struct rusage begin, end;
    for (int i = 0; i < rounds; ++i) {
        if (i == rounds - counted)
            getrusage(RUSAGE_SELF, &begin);
        fill_and_free(NULL);
        pass_ms(200);
    }
    getrusage(RUSAGE_SELF, &end);
    printf("%ld page faults in six rounds of 60 MB\n", end.ru_minflt - begin.ru_minflt);
    CHECK(end.ru_minflt - begin.ru_minflt < counted * 15000 / 4);
}

/* Under ARENITE_MALLOC=returns=off, which is known half a second after the program began. */
static void is_not_watched(void) {
    fill_at_random();
    pass_ms(600);
    free(malloc(8u << 20));
    const int before = asked;
    for (int i = objects / kept; i < objects; ++i)
        free(all[i]);
    printf("the clock was read %d times\n", asked - before);
    CHECK(asked - before < objects / 100); /* some frees look; a watch does at each 16th */
}

/* A busy program whose sets of small objects come and go: its calls stay quick ones, which do not
   look at the clock. */
static void rounds_are_not_watched(void) {
    enum { rounds = 500, set = 20000 }; /* two seconds: looks come, too */
    for (int r = 0; r < rounds; ++r) {
        for (int i = 0; i < set; ++i) {
            all[i] = malloc(80);
            now_us += i % 10 == 0;
        }
        for (int i = 0; i < set; ++i) {
            free(all[i]);
            now_us += i % 10 == 0;
        }
    }
    printf("the clock was read %d times in %d calls\n", asked, 2 * rounds * set);
    CHECK(asked < 2 * rounds * set / 32);
}

int main(int argc, char** argv) {
    if (argc > 1) { /* processes of their own: they are young, and no look has been made */
        if (strcmp(argv[1], "off") == 0)
            is_not_watched();
        else if (strcmp(argv[1], "rounds") == 0)
            rounds_are_not_watched();
        else if (strcmp(argv[1], "large") == 0)
            goes_back_after_large_objects(strtoul(argv[2], NULL, 10), atoi(argv[3]),
                                          strtoul(argv[4], NULL, 10), atoi(argv[5]));
        else if (strcmp(argv[1], "frees") == 0)
            goes_back_where_a_thread_frees_others(atoi(argv[2]), free_large_then_small);
        else if (strcmp(argv[1], "frees_first") == 0)
            goes_back_where_a_thread_frees_others(atoi(argv[2]), free_large_then_tick);
        else if (strcmp(argv[1], "between") == 0)
            goes_back_from_between_large_objects(atoi(argv[2]), atoi(argv[3]));
        else if (strcmp(argv[1], "old") == 0)
            goes_back_while_only_old_objects_are_freed();
        else
            goes_back_after_frees_alone(atoi(argv[1]));
        return bad;
    }
    goes_back(0);
    goes_back(1);
    does_not_fault_again();
    CHECK(asked != 0); /* else the time was another */
    return bad;
}
