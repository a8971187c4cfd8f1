/* SPDX-FileCopyrightText: 2026 The Arenite authors */
/* SPDX-License-Identifier: MIT */

/* What malloc(3), POSIX and C say of every entry. */
#define _GNU_SOURCE
#include "check.h"

#include <errno.h>
#include <limits.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int is_aligned(const void* p, size_t to) { return (uintptr_t)p % to == 0; }

static void sizes(void) {
    for (size_t n = 1; n < 300000; n = n * 9 / 8 + 1) {
        unsigned char* p = malloc(n);
        CHECK(p && is_aligned(p, 16));
        size_t room = malloc_usable_size(p);
        CHECK(room >= n);
        memset(p, 0xaa, room);
        free(p);
        p = calloc(1, n);
        size_t zeros = 0;
        while (zeros < n && p[zeros] == 0)
            ++zeros;
        CHECK(zeros == n);
        for (size_t m = n; m < 3 * n; m = m * 5 / 4 + 3) {
            memset(p, 0x55, n);
            p = realloc(p, m);
            CHECK(p && p[0] == 0x55 && p[n - 1] == 0x55);
        }
        p = realloc(p, n / 2 + 1);
        CHECK(p && p[0] == 0x55 && p[n / 2] == 0x55);
        free(p);
    }
    for (size_t n = 1 << 20; n <= (size_t)64 << 20; n *= 4) {
        unsigned char* p = calloc(n, 1);
        CHECK(p && p[0] == 0 && p[n / 2] == 0 && p[n - 1] == 0);
        memset(p, 3, n);
        p = realloc(p, 2 * n);
        CHECK(p && p[0] == 3 && p[n - 1] == 3);
        p = realloc(p, n / 8);
        CHECK(p && p[n / 8 - 1] == 3);
        free(p);
        p = calloc(n / 16, 16); /* where there was something */
        CHECK(p && p[0] == 0 && p[n / 2] == 0 && p[n - 1] == 0);
        free(p);
    }
}

static long resident_kib(void) {
    long all = 0, resident = 0;
    FILE* f = fopen("/proc/self/statm", "r");
    CHECK(f && fscanf(f, "%ld %ld", &all, &resident) == 2);
    fclose(f);
    return resident * 4;
}

/* Nor does a smaller one, of new memory: while the heap is small, before it has huge pages. */
static void small_zeros_are_not_touched(void) {
    char* all[12];
    long before = resident_kib();
    for (int i = 0; i < 12; ++i)
        all[i] = calloc(1, 40000);
    CHECK(resident_kib() - before < 200);
    for (int round = 0; round < 3; ++round)
        for (int i = 0; i < 12; ++i) {
            size_t n = 40000 - (size_t)round * 9000;
            size_t zeros = 0;
            CHECK(all[i]);
            while (zeros < n && all[i][zeros] == 0)
                ++zeros;
            CHECK(zeros == n);
            memset(all[i], 7, n);
            free(all[i]);
            all[i] = calloc(n - 9000, 1); /* where there was something */
        }
    for (int i = 0; i < 12; ++i)
        free(all[i]);
}

/* A large table of zeros takes memory where it is used. */
static void zeros_are_not_touched(void) {
    long before = resident_kib();
    char* p = calloc(200, 1 << 20);
    CHECK(p && p[100 << 20] == 0);
    CHECK(resident_kib() - before < 20 * 1024);
    memset(p, 1, 100 << 20);
    free(p);
    for (int i = 0; i < 8; ++i) { /* whatever has waited since */
        size_t n = ((size_t)1 << 20) + (size_t)i * 3000000;
        unsigned char* q = calloc(1, n);
        CHECK(q);
        for (size_t at = 0; at < n; at += 512)
            if (q[at] != 0) {
                CHECK(!"it is zero");
                break;
            }
        memset(q, 7, n);
        if (i % 2 == 0)
            free(q);
    }
}

static void alignments(void) {
    for (size_t a = 8; a <= ((size_t)8 << 20); a *= 2)
        for (size_t n = 1; n < 100000; n = n * 5 + 1) {
            void* p = NULL;
            CHECK(posix_memalign(&p, a, n) == 0 && is_aligned(p, a));
            memset(p, 1, malloc_usable_size(p));
            p = realloc(p, n * 3);
            memset(p, 2, n * 3);
            free(p);
            p = memalign(a, n);
            CHECK(p && is_aligned(p, a));
            free(p);
            p = aligned_alloc(a, n);
            CHECK(p && is_aligned(p, a));
            memset(p, 3, n);
            free(p);
        }
    void* p = valloc(10);
    CHECK(is_aligned(p, 4096));
    free(p);
    p = pvalloc(1);
    CHECK(is_aligned(p, 4096) && malloc_usable_size(p) >= 4096);
    free(p);
    p = pvalloc(4097);
    CHECK(malloc_usable_size(p) >= 8192);
    free(p);
    p = memalign(3, 10);
    CHECK(p && is_aligned(p, 4));
    free(p);
}

static void nothing(void) {
    void* p = malloc(0);
    void* q = malloc(0);
    CHECK(p && q && p != q);
    free(p);
    free(q);
    free(NULL);
    CHECK(malloc_usable_size(NULL) == 0);
    p = calloc(0, 5);
    CHECK(p);
    free(p);
    p = realloc(NULL, 40);
    CHECK(p);
    p = realloc(p, 0);
    CHECK(!p);
    p = reallocarray(NULL, 10, 10);
    CHECK(malloc_usable_size(p) >= 100);
    free(p);
}

/* Of C23; a C library that is older, which the program is linked with, has none. */
__attribute__((weak)) void free_sized(void* p, size_t bytes);
__attribute__((weak)) void free_aligned_sized(void* p, size_t alignment, size_t bytes);

static void freed_with_their_sizes(void) {
    CHECK(free_sized != NULL && free_aligned_sized != NULL);
    if (free_sized == NULL || free_aligned_sized == NULL)
        return;
    free_sized(NULL, 0);
    free_aligned_sized(NULL, 64, 0);
    for (size_t n = 0; n < 300000; n = n * 2 + 1) {
        free_sized(malloc(n), n);
        free_sized(calloc(n, 1), n);
        free_sized(realloc(malloc(10), n + 1), n + 1);
        free_aligned_sized(aligned_alloc(64, n), 64, n);
        free_aligned_sized(aligned_alloc(4096, n), 4096, n);
    }
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
    const size_t before = mallinfo2().uordblks;
    for (int i = 0; i < 1000; ++i) {
        free_sized(malloc(5000), 5000);
        free_aligned_sized(aligned_alloc(256, 5000), 256, 5000);
    }
    CHECK(mallinfo2().uordblks <= before);
#endif
}

static void failures(void) {
    volatile size_t half = SIZE_MAX / 2;
    errno = 0;
    CHECK(malloc(PTRDIFF_MAX) == NULL && errno == ENOMEM);
    errno = 0;
    CHECK(malloc(half * 2) == NULL && errno == ENOMEM);
    errno = 0;
    CHECK(calloc(half, 3) == NULL && errno == ENOMEM);
    errno = 0;
    CHECK(reallocarray(NULL, half, 3) == NULL && errno == ENOMEM);
    errno = 0;
    CHECK(valloc(half * 2) == NULL && errno == ENOMEM);
    errno = 0;
    CHECK(pvalloc(half * 2) == NULL && errno == ENOMEM);
    errno = 0;
    CHECK(memalign(half + 2, 10) == NULL && errno == EINVAL);
    char* p = malloc(10);
    memcpy(p, "as it was", 10);
    errno = 0;
    CHECK(realloc(p, PTRDIFF_MAX) == NULL && errno == ENOMEM);
    CHECK(reallocarray(p, half, 3) == NULL);
    CHECK(strcmp(p, "as it was") == 0);
    free(p);
    int other = 0;
    void* q = &other;
    CHECK(posix_memalign(&q, 3, 10) == EINVAL && q == &other);
    CHECK(posix_memalign(&q, 4, 10) == EINVAL && q == &other);
    errno = 0;
    CHECK(posix_memalign(&q, 16, half) == ENOMEM && q == &other && errno == ENOMEM);
    errno = 0;
    CHECK(aligned_alloc(3, 10) == NULL && errno == EINVAL);
}

static void errno_is_kept(void) {
    errno = 7;
    for (size_t n = 1; n < ((size_t)1 << 28); n *= 7) {
        void* p = malloc(n);
        p = realloc(p, n * 2);
        free(p);
        free(calloc(n, 1));
    }
    malloc_trim(0);
    CHECK(errno == 7);
}

static void trim_tells_whether_memory_went(void) {
    enum { count = 40000, size = 1000, kept = 50 };
    static char* all[count];
    for (int i = 0; i < count; ++i) {
        all[i] = malloc(size);
        memset(all[i], i, size);
    }
    for (int i = 0; i < count; ++i)
        if (i % kept != 0)
            free(all[i]);
    CHECK(malloc_trim(0) == 1); /* whole pages between those that stay */
    for (int i = 0; i < count; i += kept) {
        CHECK(all[i][size - 1] == (char)i);
        free(all[i]);
    }
    malloc_trim(0);
    CHECK(malloc_trim(0) == 0);
}

static void* grown_elsewhere(void* p) {
    p = realloc(p, 100000);
    CHECK(malloc_usable_size(p) >= 100000);
    memset(p, 1, 100000);
    return p;
}

static void threads(void) {
    for (int i = 0; i < 20; ++i) {
        size_t n = (size_t)16 << i % 14;
        void* p = malloc(n);
        memset(p, 3, n);
        pthread_t t;
        pthread_create(&t, 0, grown_elsewhere, p);
        pthread_join(t, &p);
        p = realloc(p, 5);
        free(p);
    }
}

static void* cancelled(void* p) {
    pthread_cancel(pthread_self());
    malloc_stats();
    return p;
}

/* Where the standard error is a file, and by a thread that ends at the next point of cancellation,
   which malloc_stats is none of. */
static void malloc_stats_say_something(void) {
    FILE* to = tmpfile();
    int error = dup(2);
    CHECK(to != NULL && error >= 0 && dup2(fileno(to), 2) == 2);
    pthread_t t;
    pthread_create(&t, NULL, cancelled, NULL);
    pthread_join(t, NULL);
    dup2(error, 2);
    close(error);
    char text[200] = "";
    rewind(to);
    CHECK(fgets(text, sizeof text, to) != NULL && strstr(text, "arenite malloc: ") == text);
    CHECK(strstr(text, "bytes in use by") != NULL);
    fclose(to);
}

static void statistics(void) {
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
    size_t before = mallinfo2().uordblks;
    void* p = malloc(1 << 20);
    struct mallinfo2 now = mallinfo2();
    CHECK(now.uordblks >= before + (1 << 20) && now.arena >= now.uordblks);
    free(p);
    CHECK(mallinfo2().uordblks < now.uordblks);
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    struct mallinfo narrow = mallinfo();
    now = mallinfo2();
    CHECK(narrow.uordblks == (int)now.uordblks && narrow.arena == (int)now.arena);
    char* large = malloc((size_t)3 << 30); /* more than an int holds; where there are addresses */
    CHECK(large == NULL || mallinfo().uordblks == INT_MAX);
    free(large);
    malloc_stats_say_something();
#endif
    char text[1000] = "";
    FILE* to = fmemopen(text, sizeof text, "w");
    CHECK(malloc_info(1, to) != 0);
    CHECK(malloc_info(0, to) == 0);
    fclose(to);
    CHECK(strstr(text, "<malloc version=\"arenite\">") && strstr(text, "</malloc>"));
}

int main(void) {
    small_zeros_are_not_touched();
    zeros_are_not_touched();
    sizes();
    alignments();
    nothing();
    freed_with_their_sizes();
    failures();
    errno_is_kept();
    trim_tells_whether_memory_went();
    threads();
    statistics();
    return bad;
}
