/* SPDX-FileCopyrightText: 2026 The Arenite authors */
/* SPDX-License-Identifier: MIT */

/* A map of the heap at a signal: ARENITE_MALLOC=map=FILE,signal=12. */
#include "check.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int has_line(const char* file, const void* object) {
    char wanted[32], line[200];
    snprintf(wanted, sizeof wanted, "%p ", object);
    FILE* const from = fopen(file, "r");
    int found = 0;
    while (from != NULL && fgets(line, sizeof line, from) != NULL)
        found |= strncmp(line, wanted, strlen(wanted)) == 0 && strstr(line, " used") != NULL;
    if (from != NULL)
        fclose(from);
    return found;
}

int main(int count, char** words) {
    const char* const file = words[1];
    if (count != 2)
        return 2;
    remove(file);
    void* const kept = malloc(200);
    free(malloc(100));
    CHECK(access(file, F_OK) != 0);
    for (int time = 0; time < 2; ++time) { /* and once more */
        raise(SIGUSR2);
        void* const other = malloc(300);
        CHECK(access(file, F_OK) == 0);
        CHECK(has_line(file, kept));
        remove(file);
        for (int i = 0; i < 100; ++i)
            free(malloc(200)); /* quick calls again */
        CHECK(access(file, F_OK) != 0);
        free(other);
    }
    free(kept);
    return bad;
}
