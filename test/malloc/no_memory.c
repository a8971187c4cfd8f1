/* SPDX-FileCopyrightText: 2026 The Arenite authors */
/* SPDX-License-Identifier: MIT */

/* The system refuses: each mmap, madvise and mprotect once, or from some call on; and under limits.
   What is refused gives null and ENOMEM, nothing else is lost, and the process goes on. */
#define _GNU_SOURCE
#include "check.h"

#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { never_reached = 42 };

// ---- the system's calls, which this program has before the C library's --------------------------
static int calls; /* of one thread at a time */

static int refused_call(void) {
    static int at = -1; /* 0: none */
    static int once = 0;
    if (at < 0) {
        const char* const asked = getenv("TEST_REFUSES");
        at = asked == NULL ? 0 : atoi(asked);
        once = getenv("TEST_ONCE") != NULL;
    }
    ++calls;
    return at != 0 && (once ? calls == at : calls >= at);
}

void* mmap(void* at, size_t bytes, int access, int how, int file, off_t offset) {
    if (refused_call()) {
        errno = ENOMEM;
        return MAP_FAILED;
    }
    return (void*)syscall(SYS_mmap, at, bytes, access, how, file, offset);
}
int madvise(void* at, size_t bytes, int advice) {
    if (refused_call()) {
        errno = ENOMEM;
        return -1;
    }
    return (int)syscall(SYS_madvise, at, bytes, advice);
}
int mprotect(void* at, size_t bytes, int access) {
    if (refused_call()) {
        errno = ENOMEM;
        return -1;
    }
    return (int)syscall(SYS_mprotect, at, bytes, access);
}

// ---- work that asks for much --------------------------------------------------------------------
static unsigned state = 1;
static unsigned next(void) { return (state = state * 1664525u + 1013904223u) >> 8; }

static size_t some_size(void) {
    const unsigned kind = next() % 1000;
    if (kind < 950)
        return 1 + next() % 2000;
    return kind < 998 ? 5000 + next() % 300000 : (1 + next() % 8) << 20;
}

struct object {
    unsigned char* p;
    size_t bytes;
};

static int is_filled(const struct object* o) {
    return o->p[0] == (unsigned char)o->bytes && o->p[o->bytes - 1] == (unsigned char)o->bytes;
}

static void fill(struct object* o, unsigned char* p, size_t bytes) {
    CHECK(p != NULL || errno == ENOMEM);
    o->p = p;
    o->bytes = p == NULL ? 0 : bytes;
    if (p != NULL) {
        p[0] = (unsigned char)bytes;
        p[bytes - 1] = (unsigned char)bytes;
    }
}

static void* work(void* unused) {
    enum { count = 4000 };
    static struct object all[count];
    for (int round = 0; round < 2; ++round) {
        for (int i = 0; i < count; ++i) {
            const size_t bytes = some_size();
            void* p = NULL;
            errno = 0;
            if (i % 16 == 0) {
                unsigned char* const zeroed = calloc(1, bytes);
                CHECK(zeroed == NULL || (zeroed[0] == 0 && zeroed[bytes / 2] == 0));
                fill(&all[i], zeroed, bytes);
            } else if (i % 64 == 1) {
                errno = posix_memalign(&p, 4096, bytes);
                CHECK((uintptr_t)p % 4096 == 0);
                fill(&all[i], errno == 0 ? p : NULL, bytes);
            } else {
                fill(&all[i], malloc(bytes), bytes);
            }
        }
        for (int i = 0; i < count; i += 3) {
            if (all[i].p == NULL)
                continue;
            const size_t bytes = some_size();
            errno = 0;
            unsigned char* const p = realloc(all[i].p, bytes);
            if (p != NULL)
                fill(&all[i], p, bytes);
            else
                CHECK(errno == ENOMEM && is_filled(&all[i]) &&
                      bytes > malloc_usable_size(all[i].p)); /* one that shrinks may stay */
        }
        for (int i = 0; i < count; ++i) {
            CHECK(all[i].p == NULL || is_filled(&all[i]));
            free(all[i].p);
        }
        malloc_trim(0);
    }
    return unused;
}

static int work_here_and_there(void) {
    pthread_t thread;
    work(NULL);
    if (pthread_create(&thread, NULL, work, NULL) == 0)
        pthread_join(thread, NULL);
    const char* const asked = getenv("TEST_REFUSES");
    return bad ? 1 : asked != NULL && calls < atoi(asked) ? never_reached : 0;
}

// ---- which is done by processes of their own ----------------------------------------------------
static int run(char* program, const char* refuses, int once, int limit, rlim_t bytes) {
    const pid_t child = fork();
    if (child == 0) {
        const struct rlimit most = {bytes, bytes};
        if (bytes != 0 && setrlimit(limit, &most) != 0)
            _exit(125);
        if (refuses != NULL)
            setenv("TEST_REFUSES", refuses, 1);
        if (once)
            setenv("TEST_ONCE", "1", 1);
        execl(program, program, "work", (char*)NULL);
        _exit(126);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status) || (WEXITSTATUS(status) != 0 && WEXITSTATUS(status) != never_reached)) {
        fprintf(stderr, "call %s%s, limit %d of %lu: ended with %x\n",
                refuses == NULL ? "none" : refuses, once ? " once" : "", limit,
                (unsigned long)bytes, (unsigned)status);
        bad = 1;
    }
    return WEXITSTATUS(status);
}

int main(int count, char** words) {
    if (count > 1)
        return work_here_and_there();
    for (int limit = 0; limit < 2; ++limit)
        for (rlim_t megabytes = 24; megabytes <= 384; megabytes *= 2)
            run(words[0], NULL, 0, limit == 0 ? RLIMIT_AS : RLIMIT_DATA, megabytes << 20);
    for (int once = 0; once < 2; ++once) {
        int n = 1;
        for (; n < 5000; n += n < 40 ? 1 : n / 8) {
            char text[16];
            snprintf(text, sizeof text, "%d", n);
            if (run(words[0], text, once, 0, 0) == never_reached)
                break;
        }
        printf("%d calls%s\n", n - 1, once ? ", one refused" : "");
        CHECK(n > 5);
    }
    return bad;
}
