// SPDX-FileCopyrightText: 2026 The Arenite authors
// SPDX-License-Identifier: MIT

// Buffers aligned to pages, replaced at random: they lie as asked, apart from each other, and take
// little more than their size.
#define _GNU_SOURCE
#include "check.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { buffers = 20000, page = 4096 };

static unsigned state = 1;
static unsigned next(void) {
    state = state * 1664525u + 1013904223u;
    return state >> 8;
}

static size_t resident(void) {
    long all = 0, now = 0;
    FILE* const f = fopen("/proc/self/statm", "r");
    CHECK(f != NULL && fscanf(f, "%ld %ld", &all, &now) == 2);
    fclose(f);
    return (size_t)now * (size_t)sysconf(_SC_PAGESIZE);
}

static unsigned* of[buffers];
static size_t bytes_of[buffers];

static void make(unsigned i, size_t alignment, size_t bytes) {
    void* p = NULL;
    CHECK(posix_memalign(&p, alignment, bytes) == 0 && (uintptr_t)p % alignment == 0);
    of[i] = p;
    bytes_of[i] = bytes;
    of[i][0] = i;
    of[i][bytes / sizeof(unsigned) - 1] = i;
}

static void end(unsigned i) {
    if (of[i] != NULL)
        CHECK(of[i][0] == i && of[i][bytes_of[i] / sizeof(unsigned) - 1] == i);
    free(of[i]);
    of[i] = NULL;
}

/* Each of one page. What they take in all is 80 MB. */
static void take_little_more_than_their_size(void) {
    const size_t before = resident();
    for (unsigned i = 0; i < buffers; ++i)
        make(i, page, page);
    for (unsigned i = 0; i < 5 * buffers; ++i) {
        const unsigned k = next() % buffers;
        end(k);
        make(k, page, page);
    }
    const size_t taken = resident() - before;
    printf("%zu kB for %d kB\n", taken >> 10, buffers * page >> 10);
    CHECK(taken <= (size_t)buffers * page / 4 * 5);
    for (unsigned i = 0; i < buffers; ++i)
        end(i);
}

/* Of any alignment and size, beside ordinary objects of the same sizes. */
static void lie_as_asked(void) {
    for (unsigned i = 0; i < 10 * buffers; ++i) {
        const unsigned k = next() % (buffers / 4);
        end(k);
        const size_t bytes = 8 * (1 + next() % 1700);
        if (next() % 4 == 0) {
            of[k] = malloc(bytes);
            bytes_of[k] = bytes;
            of[k][0] = of[k][bytes / sizeof(unsigned) - 1] = k;
        } else {
            make(k, (size_t)8 << next() % 12, bytes);
        }
    }
    for (unsigned i = 0; i < buffers; ++i)
        end(i);
}

int main(void) {
    take_little_more_than_their_size();
    lie_as_asked();
    return bad;
}
