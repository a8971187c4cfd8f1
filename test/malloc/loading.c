/* SPDX-FileCopyrightText: 2026 The Arenite authors */
/* SPDX-License-Identifier: MIT */

/* Opens a library again and again, by the main thread and by another one. Its constructor and its
 * destructor wait, under the loader's lock, for threads that allocate. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static void* open_and_close(void* path) {
    for (int i = 0; i < 20; ++i) {
        void* library = dlopen(path, RTLD_NOW);
        if (library == NULL) {
            fprintf(stderr, "%s\n", dlerror());
            return path;
        }
        dlclose(library);
    }
    return NULL;
}

int main(int count, char** words) {
    alarm(60);
    if (count < 2 || open_and_close(words[1]) != NULL)
        return 1;
    pthread_t t;
    void* failed = words;
    pthread_create(&t, 0, open_and_close, words[1]);
    pthread_join(t, &failed);
    return failed != NULL;
}
