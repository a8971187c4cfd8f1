/* SPDX-FileCopyrightText: 2026 The Arenite authors */
/* SPDX-License-Identifier: MIT */

/* Ends by SIGABRT, after a sentence that names the misuse and the function it is in. */
#include <stdlib.h>
#include <string.h>

__attribute__((noinline)) void free_twice(void) {
    char* p = malloc(100);
    free(p);
    free(p);
}

__attribute__((noinline)) void free_foreign(void) {
    static char own[64];
    free(own + 16);
}

__attribute__((noinline)) void reallocate_foreign(void) {
    static char own[64];
    free(realloc(own + 16, 100));
}

__attribute__((noinline)) void reallocate_inside(void) {
    char* p = malloc(100);
    free(realloc(p + 16, 200));
}

int main(int count, char** words) {
    const char* what = count > 1 ? words[1] : "";
    if (strcmp(what, "twice") == 0)
        free_twice();
    else if (strcmp(what, "foreign") == 0)
        free_foreign();
    else if (strcmp(what, "realloc") == 0)
        reallocate_foreign();
    else if (strcmp(what, "realloc_inside") == 0)
        reallocate_inside();
    return 0;
}
